import { ORDINARY_TOKENS } from './vocabulary.ts'

const NAMED = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const EXTRAS = 205

/**
 * The 208 special tokens of the reference, in the order of their ids from 151643 on (spec §3). `<tool_call>` and
 * `<think>` are not among them: the reference reads them as ordinary text.
 */
const SPECIAL_TOKENS: readonly string[] = [
  ...NAMED,
  ...Array.from({ length: EXTRAS }, (_, index) => `<|extra_${index}|>`),
]

const ID_OF: ReadonlyMap<string, number> = new Map(SPECIAL_TOKENS.map((text, index) => [text, ORDINARY_TOKENS + index]))

/** The text of a special token, or null for any other id. */
export function specialText(id: number): string | null {
  return SPECIAL_TOKENS[id - ORDINARY_TOKENS] ?? null
}

/** Cuts a text at its special tokens: ordinary text as it stands, special tokens as ids. Empty parts are left out. */
export function* splitAtSpecials(text: string): Generator<string | number> {
  let from = 0
  for (const match of text.matchAll(/<\|(?:endoftext|im_start|im_end|extra_\d{1,3})\|>/g)) {
    const id = ID_OF.get(match[0])
    // What looks like one (`<|extra_205|>`, `<|extra_007|>`) is ordinary text.
    if (id === undefined) continue
    if (match.index > from) yield text.slice(from, match.index)
    yield id
    from = match.index + match[0].length
  }
  if (from < text.length) yield text.slice(from)
}
