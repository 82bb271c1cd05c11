import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTooDeepJson } from '../src/scan.ts'
import { isJson } from '../src/json-watch.ts'
import { attempt, loads } from '../src/index.ts'

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  ', ',
  ': ',
  ' ',
  '\n',
  '1',
  '-0',
  '01',
  '1.0',
  '1e5',
  'null',
  'True',
  'NaN',
  "'a'",
  '"a"',
  '"\\u00e9"',
  '"\u2028"',
  'é',
]

describe('isJson', () => {
  it('agrees with loads for every text without white space around it', () => {
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.json(),
      fc.json().map((text) => text.slice(0, -1)),
    )

    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/^\s|\s$/.test(text))

        expect(isJson(text)).toBe(attempt(() => loads(text)).kind === 'returned')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a JSON text that nests too deep', () => {
  const lists = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it.each([
    [lists(995), false],
    [lists(996), true],
    ['{"a":'.repeat(996), true],
    ['[]{}'.repeat(2000), false],
    [`"${'['.repeat(2000)}"`, false],
    [`"\\"${'['.repeat(2000)}"`, false],
    [`"\\\\"${'['.repeat(2000)}`, true],
  ])('is known by its brackets outside of quotes (%#)', (text, isTooDeep) => {
    expect(isTooDeepJson(text)).toBe(isTooDeep)
  })
})
