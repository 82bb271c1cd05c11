import type { Tokenizer } from '../../src/qwen-agent.ts'

/** One token per code point: enough where no count matters. */
export const CODE_POINTS: Tokenizer = {
  encode: (text) => [...text].map((char) => char.codePointAt(0) ?? 0),
  decode: (tokens) => String.fromCodePoint(...tokens),
  pieces: (text) => [...text].map((char) => new TextEncoder().encode(char)),
  count: (text) => [...text].length,
}
