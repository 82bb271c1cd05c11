import { createExamples } from '../../src/sim/examples.ts'
import { createLots } from '../../src/sim/lot.ts'
import { readModelName } from '../../src/sim/model-name.ts'
import type { SimProtocol } from '../../src/sim/protocol.ts'
import { loadReferences } from '../../src/sim/reference.ts'

const references = loadReferences()
const examples = createExamples(references)

/** Which episodes a model gives up, task by task and pass by pass, without playing them. */
export function losses(name: string, protocol: SimProtocol, repeat: number): readonly (readonly boolean[])[] {
  const read = readModelName(name)
  if (read.kind !== 'model') throw new Error(read.message)
  const { spec } = read
  const lotOf = createLots(references, { examples, passes: null })
  return references.map((reference) =>
    Array.from({ length: repeat }, (_, sample) => lotOf({ spec, protocol, reference, sample }).policy !== null),
  )
}
