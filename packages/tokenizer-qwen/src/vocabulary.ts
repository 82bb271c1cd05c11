import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** How many ordinary tokens there are; the ids of the special tokens follow (spec §3). */
export const ORDINARY_TOKENS = 151_643

/** The ordinary tokens. Bytes as keys are strings of one character per byte (Latin-1), which `Map` can hash. */
export interface Vocabulary {
  /** The token of a byte sequence; its id is also its rank: lower ranks are merged first. */
  readonly rankOf: ReadonlyMap<string, number>
  /** The bytes of every token, one after the other. */
  readonly bytes: Uint8Array
  /** Where each token begins in `bytes`; one more entry marks the end of the last. */
  readonly offsets: Uint32Array
  /** Length in bytes of the longest token. */
  readonly longest: number
}

/**
 * Reads the vocabulary that comes with this package; scripts/build-vocabulary.mjs says how the file is made up.
 * Costs about 60 ms and 20 MB.
 */
export function readVocabulary(): Vocabulary {
  // The same relative place seen from src/ and from dist/.
  const contents = brotliDecompressSync(readFileSync(new URL('../vocabulary/qwen.br', import.meta.url)))
  const bytes = contents.subarray(ORDINARY_TOKENS)
  const text = bytes.toString('latin1')
  const offsets = new Uint32Array(ORDINARY_TOKENS + 1)
  const rankOf = new Map<string, number>()
  let longest = 0
  let offset = 0
  for (let id = 0; id < ORDINARY_TOKENS; id += 1) {
    const length = contents[id] ?? 0
    rankOf.set(text.slice(offset, offset + length), id)
    if (length > longest) longest = length
    offset += length
    offsets[id + 1] = offset
  }
  return { rankOf, bytes, offsets, longest }
}
