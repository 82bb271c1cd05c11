import { InputError } from '@callspec/core'
import type { Tokenizer } from '@callspec/core/qwen-agent'
import { mergePiece } from './merge.ts'
import type { Vocabulary } from './vocabulary.ts'
import { specialText, splitAtSpecials, ORDINARY_TOKENS, readVocabulary } from './vocabulary.ts'
import { splitWords } from './words.ts'

/**
 * The tokenizer of the reference (spec §3). The vocabulary is read from this package when the tokenizer is first used, and kept;
 * no network is needed.
 *
 * `encode`, `pieces` and `count` take every string: lone surrogates count as U+FFFD. `decode` throws an `InputError`
 * for a number that is not an id.
 */
export function loadQwenTokenizer(): Tokenizer {
  return {
    encode: (text) => encode(text, vocabulary()),
    decode: (tokens) => decode(tokens, vocabulary()),
    pieces: (text) => encode(text, vocabulary()).map((id) => pieceOf(id, vocabulary())),
    count: (text) => encode(text, vocabulary()).length,
  }
}

let loaded: Vocabulary | null = null

function vocabulary(): Vocabulary {
  loaded ??= readVocabulary()
  return loaded
}

function encode(text: string, vocabulary: Vocabulary): readonly number[] {
  const tokens: number[] = []
  for (const part of splitAtSpecials(text.normalize('NFC'))) {
    if (typeof part === 'number') {
      tokens.push(part)
      continue
    }
    for (const word of splitWords(part)) {
      // Most words are ASCII and a token; then their characters already are their bytes.
      const whole = vocabulary.rankOf.get(word)
      if (whole !== undefined && isAscii(word)) tokens.push(whole)
      else for (const token of mergePiece(utf8(word), vocabulary)) tokens.push(token)
    }
  }
  return tokens
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

/** The UTF-8 bytes of a text, one character per byte. A lone surrogate becomes the bytes of U+FFFD. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function decode(tokens: readonly number[], vocabulary: Vocabulary): string {
  let text = ''
  let pending: Uint8Array[] = []
  for (const [index, id] of tokens.entries()) {
    const special = specialText(id)
    if (special === null) {
      pending.push(tokenBytes(id, vocabulary, index))
      continue
    }
    text += decodeBytes(pending) + special
    pending = []
  }
  return text + decodeBytes(pending)
}

function decodeBytes(chunks: readonly Uint8Array[]): string {
  // Python keeps a byte order mark, a TextDecoder drops it by default.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks))
}

function tokenBytes(id: number, { bytes, offsets }: Vocabulary, index: number): Uint8Array {
  if (!Number.isInteger(id) || id < 0 || id >= ORDINARY_TOKENS) {
    throw new InputError(`tokens[${index}]`, `${id} is not a token id. Ids are whole numbers from 0 to 151850.`)
  }
  return bytes.subarray(offsets[id], offsets[id + 1])
}

function pieceOf(id: number, vocabulary: Vocabulary): Uint8Array | { readonly special: string } {
  const special = specialText(id)
  // A copy: what the caller does with it must not reach the vocabulary.
  return special === null ? new Uint8Array(tokenBytes(id, vocabulary, 0)) : { special }
}
