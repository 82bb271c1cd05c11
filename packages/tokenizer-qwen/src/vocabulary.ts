import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** The number of ordinary tokens; the ids of the special tokens follow (spec §3). */
export const ORDINARY_TOKENS = 151_643

/** The ordinary tokens. Bytes as keys are strings of one character per byte (Latin-1), which `Map` can hash. */
export interface Vocabulary {
  /** The token of a byte sequence; its id is also its rank: lower ranks are merged first. */
  readonly rankOf: ReadonlyMap<string, number>
  /** The bytes of every token, one after the other. */
  readonly bytes: Uint8Array
  /** Where each token begins in `bytes`; a last entry marks the end. */
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

/**
 * The reference has 208 special tokens, with ids from 151643 on (spec §3): these, then `<|extra_0|>` to `<|extra_204|>`. `<tool_call>` and
 * `<think>` are not among them: the reference reads them as ordinary text.
 */
const NAMED_TOKENS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const EXTRAS = 205

/** The text of a special token, or null for any other id. */
export function specialText(id: number): string | null {
  const index = id - ORDINARY_TOKENS
  const extra = index - NAMED_TOKENS.length
  return NAMED_TOKENS[index] ?? (Number.isInteger(extra) && extra >= 0 && extra < EXTRAS ? `<|extra_${extra}|>` : null)
}

/** The id of a special token, or null for another text, such as `<|extra_205|>` and `<|extra_007|>`. */
function specialId(text: string): number | null {
  const [, digits] = /^<\|extra_(\d+)\|>$/.exec(text) ?? []
  const index = digits === undefined ? NAMED_TOKENS.indexOf(text) : NAMED_TOKENS.length + Number(digits)
  return specialText(ORDINARY_TOKENS + index) === text ? ORDINARY_TOKENS + index : null
}

/** Splits a text at its special tokens: ordinary text unchanged, special tokens as ids. Empty parts are left out. */
export function* splitAtSpecials(text: string): Generator<string | number> {
  let from = 0
  for (const match of text.matchAll(/<\|(?:endoftext|im_start|im_end|extra_\d{1,3})\|>/g)) {
    const id = specialId(match[0])
    if (id === null) continue
    if (match.index > from) yield text.slice(from, match.index)
    yield id
    from = match.index + match[0].length
  }
  if (from < text.length) yield text.slice(from)
}
