import { describe, expect, it } from 'vitest'

import { profileNamed } from '@callspec/core/qwen-agent'
import type { Profile, Tokenizer } from '@callspec/core/qwen-agent'
import { truncate } from '../src/truncate/tokens.ts'

/** One token per character; what core does with tokens is all that matters here. */
const characters: Tokenizer = {
  encode: (text) => Array.from(text.normalize('NFC'), (character) => character.codePointAt(0) ?? 0),
  decode: (tokens) => String.fromCodePoint(...tokens),
  pieces: (text) => Array.from(text, (character) => new TextEncoder().encode(character)),
  count: (text) => Array.from(text.normalize('NFC')).length,
}

function cut(text: string, maxTokens: number, options: { startToken?: number; keepBothSides?: boolean } = {}): string {
  return truncate(text, { tokenizer: characters, profile: profile('main'), maxTokens, ...options })
}

describe('truncate', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 4, 'abcd'],
    ['abcdef', 0, ''],
    ['abcdef', -2, 'abcd'],
    ['abcdef', -9, ''],
  ])('cuts %s to %i tokens: %j', (text, maxTokens, expected) => {
    expect(cut(text, maxTokens)).toBe(expected)
  })

  it.each([
    [7, '01...89'],
    [8, '01...789'],
    [4, '...9'],
    [3, '012'],
    [2, '01'],
    [-1, '012345678'],
    [10, '0123456789'],
  ])('keeps both sides of ten tokens within %i: %j', (maxTokens, expected) => {
    expect(cut('0123456789', maxTokens, { keepBothSides: true })).toBe(expected)
  })

  it('drops the first tokens before it counts', () => {
    expect(cut('abcdef', 3, { startToken: 2 })).toBe('cde')
    expect(cut('abcdef', 3, { startToken: 4 })).toBe('ef')
    expect(cut('abcdef', 3, { startToken: -2 })).toBe('ef')
  })

  it('gives the normal form back even where nothing is cut', () => {
    expect(cut('e\u0301', 9)).toBe('\u00e9')
  })

  it('cuts the end in profiles that cannot keep both sides', () => {
    const options = { tokenizer: characters, profile: profile('v0.0.16'), maxTokens: 7, keepBothSides: true }

    expect(truncate('0123456789', options)).toBe('0123456')
  })
})

function profile(name: string): Profile {
  const found = profileNamed(name)
  if (found === null) throw new Error(`no profile ${name}`)
  return found
}
