import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PyValue } from '../src/value.ts'
import { baseName } from '../src/base-name.ts'
import { extractCode, loadsJson5, loadsLenient } from '../src/json5.ts'
import { dumps } from '../src/dumps.ts'
import { fill } from '../src/repr.ts'
import { pyCompare, pyLength, pySlice, strip } from '../src/text.ts'
import { loads } from '../src/json-loads.ts'
import { repr } from '../src/repr.ts'
import { isDict, isList } from '../src/value.ts'
import { attempt } from '../src/errors.ts'
import { anyText, anyValue } from './arbitraries.ts'

/** Maps compared as lists of members, so that the order of keys counts; floats by identity, so that -0 is not 0. */
function shape(value: PyValue): unknown {
  if (isDict(value)) return { dict: Array.from(value, ([key, item]) => [key, shape(item)]) }
  if (isList(value)) return value.map(shape)
  return typeof value === 'bigint' ? { int: value } : value
}

describe('reading and writing', () => {
  it('gives back every value that was written', () => {
    fc.assert(
      fc.property(anyValue, fc.boolean(), fc.constantFrom(null, 0, 2), (value, ensureAscii, indent) => {
        const text = dumps(value, { ensureAscii, indent })
        expect(shape(loads(text))).toStrictEqual(shape(value))
      }),
    )
  })

  it('reads with JSON5 all that strict JSON reads, to the same value', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // U+2028 and U+2029 may be raw in JSON strings, and JSON5 forbids exactly that.
        const text = dumps(value).replaceAll(/[\u2028\u2029]/g, '')
        expect(shape(loadsJson5(text))).toStrictEqual(shape(loads(text)))
      }),
    )
  })

  it('writes every value once and for all: reading and writing again changes nothing', () => {
    fc.assert(fc.property(anyValue, (value) => dumps(loads(dumps(value))) === dumps(value)))
  })

  it.each(['"', '\\', '\n', '\u001f', '\u007f', '西'])('writes %j in a long text as JSON does', (unit) => {
    const texts = ['', 'x'.repeat(70), '西'.repeat(70)].map((rest) => `${rest}${unit}${rest}`)

    expect(texts.map((text) => dumps(text))).toEqual(texts.map((text) => JSON.stringify(text)))
  })
})

describe('every text', () => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    loads,
    loadsJson5,
    'loadsLenient, lenient': (text) => loadsLenient(text, 'lenient'),
    'loadsLenient, legacy': (text) => loadsLenient(text, 'legacy'),
    fill: (text) => fill(text, { a: text }),
    baseName,
    extractCode,
    strip: (text) => strip(text, '"😀'),
    repr,
  }

  it.each(Object.entries(readers))('makes %s return or raise, and nothing else', (_name, read) => {
    fc.assert(fc.property(anyText, (text) => ['returned', 'raised'].includes(attempt(() => read(text)).kind)))
  })

  it('is cut by code points as by an array of them', () => {
    const index = fc.integer({ min: -30, max: 30 })

    fc.assert(
      fc.property(anyText, index, fc.option(index, { nil: undefined }), (text, start, end) => {
        expect(pySlice(text, start, end)).toBe(Array.from(text).slice(start, end).join(''))
        expect(pyLength(text)).toBe(Array.from(text).length)
      }),
    )
  })

  it('is ordered by its code points, halves of pairs among them', () => {
    const texts = fc.stringMatching(/^[a\ud83d\ude00\uffff\u{1f600}]{0,4}$/u)
    const codes = (text: string): readonly number[] => Array.from(text, (each) => each.codePointAt(0) ?? 0)

    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const [one, other] = [codes(left), codes(right)]
        const at = one.findIndex((code, index) => code !== other[index])
        const wanted = at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)

        expect(Math.sign(pyCompare(left, right))).toBe(Math.sign(wanted))
      }),
    )
  })
})
