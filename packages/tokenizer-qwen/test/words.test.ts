import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'

import { splitWords } from '../src/words.ts'

/** The pattern of spec §3 in JavaScript: `\s` written out, and the long s among the contractions. */
const PATTERN =
  /'(?:[sSſtTmMdD]|[rR][eE]|[vV][eE]|[lL]{2})|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu

const TELLING = [
  ...["'", "'s", "'S", "'ſ", "'ll", "'Re", "'l", 's', 'ſ', 'K', 'a', 'é', 'e\u0301', '中', '한', '𠀀', 'ﬁ'],
  ...['1', '²', 'Ⅷ', '٣', '𝟘', '.', '—', '✿', '😀', '\u0301', '\u200d', '\ud800', '\udc00', '\u0000'],
  ...[' ', '  ', '\n', '\r', '\r\n', '\t', '\u0085', '\u00a0', '\u3000', '\u2028', '\ufeff', '\u001c', '\u180e'],
]

test.prop([fc.array(fc.oneof(fc.constantFrom(...TELLING), fc.string({ unit: 'binary', maxLength: 2 })))], {
  numRuns: 2_000,
})('a text is cut as the pattern of the reference cuts it', (parts) => {
  const text = parts.join('')

  expect([...splitWords(text)]).toEqual(text.match(PATTERN) ?? [])
})

it.each([
  [' \u0085x', [' ', '\u0085x']],
  ['a \ufeffb', ['a', ' \ufeff', 'b']],
  ["It'ſ WE'LL", ['It', "'ſ", ' WE', "'LL"]],
  [' \n \n  x', [' \n \n', ' ', ' x']],
])('%j is cut into %j', (text, words) => {
  expect([...splitWords(text)]).toEqual(words)
})

it('a run that is too long for a regular expression is one word', () => {
  const text = '中'.repeat(12_000_000)

  const [first] = splitWords(text)

  expect(first?.length).toBe(text.length)
  expect(() => text.match(PATTERN)).toThrow(RangeError)
})
