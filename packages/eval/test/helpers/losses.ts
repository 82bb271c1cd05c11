import { readModelName } from '@callspec/sim'
import { createExamples, createEpisodeDraws, loadReferences } from '../../../sim/test/helpers/parts.ts'
import type { SimFormat } from '../../../sim/test/helpers/parts.ts'

const references = loadReferences()
const examples = createExamples(references)

/** Which episodes a model gives up, task by task and pass by pass, without playing them. */
export function losses(name: string, format: SimFormat, repeat: number): readonly (readonly boolean[])[] {
  const read = readModelName(name)
  if (read.kind !== 'model') throw new Error(read.message)
  const { spec } = read
  const drawOf = createEpisodeDraws(references, { examples, passes: null })
  return references.map((reference) =>
    Array.from({ length: repeat }, (_, sample) => drawOf({ spec, format, reference, sample }).policy !== null),
  )
}
