import { readFile } from 'node:fs/promises'
import { InputError } from '@callspec/core'
import { isDict, loads } from '@callspec/python'
import { MachineryError } from '../machinery-error.ts'
import { assistantWithFile, reactRun, walkThrough } from './produce.ts'
import type { Produce } from './produce.ts'
import { ownFile } from '../own-file.ts'

/** A place where a document does not print what the program produces. */
export interface PrintedOtherwise {
  /** Offset in the text, in code points from 0. */
  readonly at: number
  readonly ours: string
  readonly printed: string
  /** Why, in a sentence. */
  readonly why: string
}

/** A prompt that a public document prints, as our code produces it. */
export interface DocumentedTranscript {
  readonly name: string
  /** The version of Qwen-Agent that it is produced under. */
  readonly version: string
  readonly text: string
  readonly differences: readonly PrintedOtherwise[]
}

/** The versions of ours among those that made each document; fixtures/transcripts/README.md says how that is known. */
export const DOCUMENTS: readonly {
  readonly document: string
  readonly produce: Produce
  readonly profiles: readonly [string, ...string[]]
}[] = [
  { document: '000', produce: walkThrough, profiles: ['v0.0.13'] },
  { document: '002', produce: assistantWithFile, profiles: ['v0.0.13', 'v0.0.7'] },
  { document: '004', produce: reactRun, profiles: ['v0.0.13', 'v0.0.7'] },
]

/** Every prompt that the documents print, produced anew from their inputs. */
export async function documentedTranscripts(): Promise<readonly DocumentedTranscript[]> {
  const [inputs, damage] = await Promise.all([readData('inputs.json'), readData('damage.json')])
  const read = JSON.parse(damage) as Damage
  const found: DocumentedTranscript[] = []
  for (const { document, produce, profiles } of DOCUMENTS) {
    const [version] = profiles
    const texts = await produce(inputOf(inputs, document), version)
    for (const [name, text] of Object.entries(texts)) {
      const edits = read.transcripts[name] ?? []
      const differences = edits.map(({ reason, ...edit }) => ({ ...edit, why: read.reasons[reason] ?? reason }))
      found.push({ name, version, text, differences })
    }
  }
  return found
}

/** What a document was made from. @throws InputError where there is nothing of that name */
export function inputOf(inputs: string, document: string): Parameters<Produce>[0] {
  const all = loads(inputs)
  const input = isDict(all) ? all.get(document) : undefined
  if (input === undefined || !isDict(input)) throw new InputError('inputs.json', `has no document ${document}.`)
  return input
}

interface Damage {
  readonly reasons: Readonly<Record<string, string>>
  readonly transcripts: Readonly<Record<string, readonly Edit[]>>
}

interface Edit extends Omit<PrintedOtherwise, 'why'> {
  readonly reason: string
}

async function readData(name: string): Promise<string> {
  const path = ownFile(`data/transcripts/${name}`)
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new MachineryError(`${path}: cannot be read. In the repository, \`pnpm build\` copies it there.`)
  }
}
