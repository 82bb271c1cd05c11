import { describe, expect, it } from 'vitest'
import { typeValueBySchema } from '../../src/grammar/values.ts'
import type { TypingRules } from '../../src/grammar/values.ts'
import { fromPlain } from '@callspec/python'
import type { PlainValue } from '@callspec/python'

const JSON_HISTORY: TypingRules = { lineFeeds: 0, pythonWords: false }
const PYTHON_HISTORY: TypingRules = { lineFeeds: 0, pythonWords: true, pythonLiterals: true }

function typed(rules: TypingRules, schema: PlainValue, text: string): string {
  return typeValueBySchema(rules)(text, { schema: fromPlain(schema), root: null, opener: '' })
}

describe('typing a text by its schema', () => {
  it.each([
    ['number', 'null', 'null'],
    ['boolean', '1', '1'],
    ['object', '[1]', '[1]'],
    ['array', '{"a": 1}', '{"a": 1}'],
    ['number', '"5"', '"5"'],
    ['integer', '5.0', '5.0'],
  ])('reads JSON of another type where no text is allowed: %s, %s', (type, text, json) => {
    expect(typed(JSON_HISTORY, { type }, text)).toBe(json)
  })

  it.each(['5', 'null', 'true', '{"a": 1}', '"q"', '[1]'])('keeps %s as it is where a text is asked for', (text) => {
    expect(typed(JSON_HISTORY, { type: 'string' }, text)).toBe(JSON.stringify(text))
    expect(typed(JSON_HISTORY, {}, text)).toBe(JSON.stringify(text))
  })

  it('reads null in a union with text, and a number of it as the text that it is', () => {
    expect(typed(JSON_HISTORY, { type: ['string', 'null'] }, 'null')).toBe('null')
    expect(typed(JSON_HISTORY, { type: ['string', 'null'] }, '5')).toBe('"5"')
  })

  it.each(['1e999', 'NaN', 'Infinity', '-inf', '007', '0x10', '1,5', 'five', ''])(
    'makes no number of %s, and loses nothing of it',
    (text) => {
      expect(typed(PYTHON_HISTORY, { type: 'number' }, text)).toBe(JSON.stringify(text))
    },
  )

  it("reads Python's words and literals only where history teaches them", () => {
    const literal = "{'a': True, 'b': [None, 1.0, 12345678901234567890], 'c': \"it's\"}"
    const json = '{"a": true, "b": [null, 1.0, 12345678901234567890], "c": "it\'s"}'

    expect(typed(PYTHON_HISTORY, { type: 'object' }, literal)).toBe(json)
    expect(typed(JSON_HISTORY, { type: 'object' }, literal)).toBe(JSON.stringify(literal))
    expect(typed(PYTHON_HISTORY, { type: 'number' }, 'None')).toBe('null')
    expect(typed(JSON_HISTORY, { type: 'number' }, 'None')).toBe('"None"')
  })

  it.each(['(1, 2)', '[(1, 2)]', "['a', 1e999]", '{1: 2}', '[1 + 1]', '[print()]', '['.repeat(5000)])(
    'leaves %s a text, for JSON has no such value',
    (text) => {
      expect(typed(PYTHON_HISTORY, { type: 'array' }, text)).toBe(JSON.stringify(text))
    },
  )

  it.each([
    ['\nOslo\n', 'Oslo'],
    ['\n\nOslo\n\n', '\nOslo\n'],
    ['Oslo\n', 'Oslo'],
    ['\nOslo', 'Oslo'],
    ['Oslo', 'Oslo'],
    [' \nOslo\n ', ' \nOslo\n '],
    ['\n\n', ''],
    ['\n', ''],
    ['', ''],
  ])('takes one line feed off each end of %j where the format writes them', (text, value) => {
    expect(typed({ lineFeeds: 1, pythonWords: false }, { type: 'string' }, text)).toBe(JSON.stringify(value))
    expect(typed(JSON_HISTORY, { type: 'string' }, text)).toBe(JSON.stringify(text))
  })
})
