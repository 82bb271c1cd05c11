import type { Tokenizer } from '@callspec/core/qwen-agent'

/** A tokenizer with one token per code point, so that expected counts can be read off the text. */
export const characterTokenizer: Tokenizer = {
  encode: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  decode: (tokens) => tokens.map((token) => String.fromCodePoint(token)).join(''),
  pieces: (text) => Array.from(text, (character) => new TextEncoder().encode(character)),
  count: (text) => Array.from(text).length,
}
