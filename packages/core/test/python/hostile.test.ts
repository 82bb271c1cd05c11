import { describe, expect, it } from 'vitest'
import type { PyValue } from '../../src/python/value.ts'
import { baseName } from '../../src/python/base-name.ts'
import { respell, respellCall } from '../../src/python/respell.ts'
import { extractCode } from '../../src/python/code.ts'
import { dumps } from '../../src/python/dumps.ts'
import { fill } from '../../src/python/fill.ts'
import { loads } from '../../src/python/json-loads.ts'
import { loadsJson5 } from '../../src/python/json5-loads.ts'
import { loadsLenient } from '../../src/python/lenient-loads.ts'
import { repr } from '../../src/python/repr.ts'
import { lstrip, rstrip, strip } from '../../src/python/strip.ts'
import { attempt } from '../../src/raise.ts'

const MEGABYTE = 1 << 20

/** A megabyte each; what is quadratic or recursive somewhere does not come back from these within the time limit. */
const HOSTILE: Readonly<Record<string, string>> = {
  'open brackets': '['.repeat(MEGABYTE),
  'open members': '{"a":'.repeat(MEGABYTE / 5),
  'pairs of brackets': '['.repeat(MEGABYTE / 2) + ']'.repeat(MEGABYTE / 2),
  quotes: '"'.repeat(MEGABYTE),
  'single quotes': "'".repeat(MEGABYTE),
  backslashes: '"' + '\\'.repeat(MEGABYTE),
  digits: '1'.repeat(MEGABYTE),
  'digits of a fraction': '0.' + '1'.repeat(MEGABYTE),
  'hexadecimal digits': '0x' + 'f'.repeat(MEGABYTE),
  'open comments': '/*'.repeat(MEGABYTE / 2),
  comments: '/**/'.repeat(MEGABYTE / 4),
  'line comments': '//\n'.repeat(MEGABYTE / 3),
  'white space': ' '.repeat(MEGABYTE),
  'Python white space': '\u3000\u0085'.repeat(MEGABYTE / 2) + 'x',
  'line feeds before an error': '[' + '\n'.repeat(MEGABYTE) + 'x',
  'an identifier': '{' + 'a'.repeat(MEGABYTE),
  'members of one call': `{"name": "f", "arguments": {${Array.from({ length: MEGABYTE / 12 }, (_, n) => `"k${n}": 0`).join(', ')}}}`,
  'surrogate pairs': '"' + '😀'.repeat(MEGABYTE / 2),
  fences: '```'.repeat(MEGABYTE / 3),
  'fences on lines': '```\n'.repeat(MEGABYTE / 4),
  'open braces': '{'.repeat(MEGABYTE),
  slashes: '/'.repeat(MEGABYTE),
  'percent signs': '%'.repeat(MEGABYTE),
  'cut UTF-8': '%f0%9f'.repeat(MEGABYTE / 6),
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  loads,
  loadsJson5,
  loadsLenient: (text) => loadsLenient(text, 'lenient'),
  fill: (text) => fill(text, {}),
  baseName,
  extractCode,
  respellCall,
  respell,
  repr,
  dumps,
  'strip of white space': (text) => strip(text),
  'strip of quotes': (text) => lstrip(rstrip(text, '\'"'), '"'),
}

describe('a megabyte of', () => {
  it.each(Object.entries(HOSTILE))('%s is read to a value or a raise by every reader', (_name, text) => {
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
})
