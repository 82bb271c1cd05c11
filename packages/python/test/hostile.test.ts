import { describe, expect, it } from 'vitest'
import type { PyValue } from '../src/value.ts'
import { dumps } from '../src/dumps.ts'
import { loads } from '../src/json-loads.ts'
import { loadsJson5 } from '../src/json5.ts'
import { repr } from '../src/repr.ts'
import { attempt } from '../src/errors.ts'
import { hostileTexts } from './hostile-texts.ts'
import { READERS } from './readers.ts'

// A megabyte of each: hostile.long.test.ts. What is quadratic does not come back from these in time either.
describe('128 kB of', { timeout: 20_000 }, () => {
  it.each(Object.entries(hostileTexts(1 << 17)))('%s is read to a value or a raise by every reader', (_name, text) => {
    const kinds = Object.values(READERS).map((read) => attempt(() => read(text)).kind)

    expect(kinds.filter((kind) => kind !== 'returned' && kind !== 'raised')).toEqual([])
  })
})

describe('nesting', () => {
  function nested(levels: number): PyValue {
    let value: PyValue = []
    for (let level = 1; level < levels; level++) value = [value]
    return value
  }

  it('is read and written down to 995 levels', () => {
    const text = '['.repeat(995) + ']'.repeat(995)

    expect([dumps(loads(text)), dumps(loadsJson5(text)), repr(loads(text))]).toEqual([text, text, text])
  })

  it('below that is a RecursionError with the text of CPython', () => {
    const text = '['.repeat(996) + ']'.repeat(996)

    const works = [() => loads(text), () => loadsJson5(text), () => dumps(nested(996)), () => repr(nested(996))]

    expect(works.map((work) => attempt(work))).toMatchObject([
      raised('maximum recursion depth exceeded while decoding a JSON array from a unicode string'),
      raised('maximum recursion depth exceeded'),
      raised('maximum recursion depth exceeded while encoding a JSON object'),
      raised('maximum recursion depth exceeded while getting the repr of an object'),
    ])
  })

  function raised(message: string): object {
    return { kind: 'raised', error: { type: 'RecursionError', message } }
  }
})

describe('long ints', () => {
  it('of 4 300 digits are exact', () => {
    const digits = '9'.repeat(4300)

    expect([dumps(loads(digits)), dumps(loadsJson5(`+${digits}`)), repr(loads(`-${digits}`))]).toEqual([
      digits,
      digits,
      `-${digits}`,
    ])
  })

  it('of one digit more cannot be written either, when they were spelled in hexadecimal', () => {
    const value = loadsJson5(`0x${'f'.repeat(4000)}`)

    expect(attempt(() => dumps(value))).toEqual({
      kind: 'raised',
      error: {
        type: 'ValueError',
        message:
          'Exceeds the limit (4300 digits) for integer string conversion; ' +
          'use sys.set_int_max_str_digits() to increase the limit',
      },
    })
  })

  it('have the same limit below zero', () => {
    const smallest = -(10n ** 4300n - 1n)

    expect(dumps(smallest)).toBe(`-${'9'.repeat(4300)}`)
    expect(attempt(() => dumps(smallest - 1n))).toMatchObject({ kind: 'raised', error: { type: 'ValueError' } })
  })
})
