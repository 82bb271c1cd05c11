import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { attempt, holdsNoValue, loads } from '../src/index.ts'
import { balancedEnd, isJson, isTooDeepJson, passJson, standardKind } from '../src/json-scan.ts'
import type { JsonScan } from '../src/json-scan.ts'

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

describe('the levels and digits that isJson accepts', () => {
  it.each([
    ['an int of 4 300 digits', '1'.repeat(4300), true],
    ['an int of 4 301 digits', '1'.repeat(4301), false],
    ['a negative one', `-${'1'.repeat(4300)}`, true],
    ['a negative one with a digit more', `[-${'1'.repeat(4301)}]`, false],
    ['a float of 5 000 digits', `${'1'.repeat(5000)}.5`, true],
    ['995 levels', '['.repeat(995) + ']'.repeat(995), true],
    ['996 levels', '['.repeat(996) + ']'.repeat(996), false],
    ['levels of lists and maps', `${'[{"a":'.repeat(498)}1${'}]'.repeat(498)}`, false],
    ['maps that open and close', `[${'{},'.repeat(2000)}{}]`, true],
  ])('are those of Python: %s', (_name, text, isAccepted) => {
    expect(isJson(text)).toBe(isAccepted)
  })
})

describe('passing a value of Python', () => {
  // prettier-ignore
  const SIGNS = [
    '{', '}', '[', ']', ':', ',', '"', '"a"', '"a":', '\\', '\\u00', '\\u00e9', '\\n', '0', '1', '-', '+', '1.5', '.', 'e', 'E5', 'e+',
    'true', 'fals', 'null', 'NaN', 'Infinity', '-Infinity', '-I', ' ', '\n', '\u00a0', '\x01', '\ufeff', '你', '\ud83d', 'a',
  ]
  const texts = fc.array(fc.constantFrom(...SIGNS), { maxLength: 9 }).map((pieces) => pieces.join(''))

  test.prop([texts], { numRuns: 3000 })('ends behind it exactly if loads accepts it', (text) => {
    fc.pre(!/^\s|\s$/.test(text))
    const scan: JsonScan = { text, at: 0, hasUnseen: false, isPython: true }
    const isWhole = passJson(scan) && scan.at === text.length

    expect(isWhole && !scan.hasUnseen).toBe(attempt(() => loads(text)).kind === 'returned' && !scan.hasUnseen)
  })

  it.each([
    ['[NaN]', true],
    ['{"NaN": "\\"Infinity\\""}', false],
    ['["a", -Infinity]', true],
    ['[1]', false],
  ])('knows whether JSON holds a value that JSON does not have: %s', (text, holds) => {
    expect(holdsNoValue(text)).toBe(holds)
  })
})

describe('the end of brackets', () => {
  it.each([
    ['{"a": [1]} x', 0, 10],
    ['x {"}": "\\"}"} x', 2, 14],
    ['[1', 0, null],
    ['] [1]', 0, null],
    ['["a', 0, null],
    ['no bracket', 0, null],
  ])('is found in %j', (text, start, end) => {
    expect(balancedEnd(text, start)).toBe(end)
  })

  it('is not looked for after the limit', () => {
    expect([balancedEnd('[[1]]', 0, 5), balancedEnd('[[1]]', 0, 4)]).toEqual([5, null])
  })
})

describe('what a text is as JSON', () => {
  test.prop([almostJson()], { numRuns: 5000 })('is for every text that is nearly JSON what JSON.parse says', (text) => {
    expect(standardKind(text)).toBe(kindByParse(text))
  })

  it.each([
    ['a long text', `{"a": "${'x'.repeat(50)}"}`, 'object'],
    ['a long text with half an escape', `{"a": "${'x'.repeat(50)}\\u12"}`, 'none'],
    ['a long text with a line feed', `["${'x'.repeat(50)}\n"]`, 'none'],
    ['a long text that ends behind a backslash', `["${'x'.repeat(50)}\\"]`, 'none'],
    ['a million brackets', '['.repeat(1e6) + ']'.repeat(1e6), 'other'],
    ['a bracket too few', '[[1]', 'none'],
    ['nothing', '', 'none'],
  ])('is known of %s', (_what, text, kind) => {
    expect(standardKind(text)).toBe(kind)
  })
})

function kindByParse(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? 'object' : 'other'
  } catch {
    return 'none'
  }
}

/** JSON with up to three characters put in, left out or changed. */
function almostJson(): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...'{}[]",:\\/u0aeE123.-+trfnl \n\t\u0001x\u00e9\u2028')
  const change = fc.tuple(fc.nat(), fc.constantFrom('in', 'out', 'other'), unit)
  const json = fc.oneof(fc.json({ maxDepth: 3 }), fc.constant('{"a": [1.5e-3, "b\\"\\u00e9", {}], "c": null}'))
  return fc.tuple(json, fc.array(change, { maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((changed, [place, how, put]) => {
      const at = place % (changed.length + 1)
      return changed.slice(0, at) + (how === 'out' ? '' : put) + changed.slice(how === 'in' ? at : at + 1)
    }, text),
  )
}

describe('a string of a text above a megabyte', () => {
  const LONG = 'words and words, '.repeat(65_000)

  it.each([
    ['', true],
    ['\\"\\\\\\n\\u00e6', true],
    ['æ😀\u2028\u007f', true],
    ['\n', false],
    ['\u0000', false],
    ['\\x', false],
    ['\\u00e', false],
    ['\\', false],
    ['"', false],
  ])('is passed as JSON.parse reads it, with %j in it', (piece, isRight) => {
    for (const inner of [`${LONG}${piece}`, `${piece}${LONG}`, `${LONG}${piece}${LONG}`]) {
      const text = `{"a": "${inner}", "b": 1}`
      const scan: JsonScan = { text, at: 0, hasUnseen: false }

      expect([passJson(scan), scan.hasUnseen]).toEqual([isRight, false])
      if (isRight) expect([scan.at, JSON.parse(text)]).toEqual([text.length, expect.objectContaining({ b: 1 })])
      else expect(kindByParse(text)).toBe('none')
    }
  })

  it('without an end is not JSON', () => {
    const scan: JsonScan = { text: `["${LONG}`, at: 0, hasUnseen: false }

    expect([passJson(scan), scan.at]).toEqual([false, LONG.length + 2])
  })
})
