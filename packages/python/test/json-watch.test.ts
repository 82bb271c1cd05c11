import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson, isWholeJson, jsonWatch, readJsonOn } from '../src/json-watch.ts'
import { strip } from '../src/text.ts'

// prettier-ignore
const PIECES = [
  '{', '}', '[', ']', ':', ',', '"', '"a"', '"a":', '\\', '\\u00', '\\u00e9', '\\n', '0', '1', '-', '+', '1.5', '.', 'e', 'E5', 'e+',
  'true', 'fals', 'null', 'NaN', 'Infinity', '-Infinity', '-I', ' ', '\n', '\u00a0', '\x01', '\ufeff', '你', '\ud83d', 'a',
]

/** JSON, its beginnings, and ruins of both. */
const TEXTS = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => pieces.join('')),
  fc.json(),
  fc.tuple(fc.json(), fc.constantFrom(...PIECES), fc.nat(40)).map(([text, piece, at]) => {
    return text.slice(0, at) + piece + text.slice(at)
  }),
)

describe('a watch over JSON', () => {
  it('says at every place whether the text so far is JSON, as isJson does', () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        const watch = jsonWatch()
        const wrong: string[] = []
        for (let end = 1; end <= text.length; end++) {
          readJsonOn(watch, text.charAt(end - 1))
          const soFar = text.slice(0, end)
          if (strip(soFar) === soFar && isWholeJson(watch) !== isJson(soFar)) wrong.push(soFar)
        }

        expect(wrong).toEqual([])
      }),
      { numRuns: 1500 },
    )
  })

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
  ])('counts digits and levels: %s', (_name, text, isAccepted) => {
    const watch = jsonWatch()

    readJsonOn(watch, text)

    expect([isWholeJson(watch), isJson(text)]).toEqual([isAccepted, isAccepted])
  })

  it('goes on in a copy without the original', () => {
    const watch = jsonWatch()
    readJsonOn(watch, '{"a": [1')
    const copy = { ...watch }

    readJsonOn(copy, ']}')
    readJsonOn(watch, '}')

    expect([isWholeJson(copy), watch.state]).toEqual([true, 'dead'])
  })
})
