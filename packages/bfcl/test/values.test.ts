import { fc, test } from '@fast-check/vitest'
import { toPlain } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { checkType, checkDict, checkDictList, checkList, checkText, standardized } from '../src/check-value.ts'
import { JAVA_TYPES, javaValue, JAVASCRIPT_TYPES, javascriptValue } from '../src/source-values.ts'
import { pyEquals } from '../src/python-values.ts'

const dict = (members: Readonly<Record<string, PyValue>>): ReadonlyMap<string, PyValue> =>
  new Map(Object.entries(members))

describe('texts', () => {
  it('are compared without punctuation, case and the kind of quotes', () => {
    expect(standardized(`April 1, 2024 - it's_A*B^C/D.e`)).toBe('april12024it"sabcde')
    expect(checkText('New York, NY', ['new-york ny'])).toEqual({ valid: true })
    expect(checkText('Boston', ['New York', ''])).toEqual({ valid: false, error: 'value_error:string' })
  })
})

describe('lists and dicts', () => {
  it('a list must have the same order, and numbers are equal across types', () => {
    expect(checkList([1n, 'A b'], [[1, 'ab']])).toEqual({ valid: true })
    expect(checkList(['b', 'a'], [['a', 'b']])).toEqual({ valid: false, error: 'value_error:list/tuple' })
  })

  it('a dict must have the same keys, each with an allowed value', () => {
    const answers = ['', dict({ min: [1n], unit: ['kWh', 'kwh '] })]

    expect(checkDict(dict({ unit: 'KWH', min: 1 }), answers)).toEqual({ valid: true })
    expect(checkDict(dict({ min: 1n }), answers)).toEqual({ valid: false, error: 'value_error:dict_items' })
    expect(checkDict(dict({ min: 1n, x: 1n }), answers)).toEqual({ valid: false, error: 'value_error:dict_key' })
    expect(checkDict(dict({ min: 2n, unit: 'kWh' }), answers)).toEqual({
      valid: false,
      error: 'value_error:dict_value',
    })
  })

  it('a list of dicts must have the same length', () => {
    const answers = [[dict({ a: ['x'] }), dict({ a: ['y'] })]]

    expect(checkDictList([dict({ a: 'X' }), dict({ a: 'Y' })], answers)).toEqual({ valid: true })
    expect(checkDictList([dict({ a: 'x' })], answers)).toEqual({ valid: false, error: 'value_error:list_dict_count' })
  })
})

describe('types', () => {
  it('1 is not 1.0 inside a list', () => {
    expect(checkType([1n, 3n], [[1, 3]], 'list', 'float')).toBe('type_error:nested')
    expect(checkType([1, 3], [[1, 3]], 'list', 'float')).toBe('value')
  })

  it('a value of the type of the answers passes as a variable', () => {
    expect(checkType('numbers', ['numbers'], 'list', 'int')).toBe('variable')
    expect(checkType(true, [1n], 'int', null)).toBe('type_error:simple')
  })

  it('True equals 1 equals 1.0, as in Python', () => {
    expect(pyEquals(true, 1n) && pyEquals(1n, 1) && pyEquals([1n], [1])).toBe(true)
    expect(pyEquals('1', 1n)).toBe(false)
  })
})

describe('a Java expression', () => {
  it.each([
    ['42', 'integer', null, 42],
    ['42', 'long', null, '42'],
    ['42L', 'long', null, 42],
    ['3f', 'float', null, 3],
    ['1.5e-2', 'double', null, 0.015],
    ['true', 'boolean', null, true],
    ['new String[]{"a", "b"}', 'Array', 'String', ['"a"', '"b"']],
    ['new int[] { }', 'Array', 'integer', []],
    ['new Object[]{1, "x", true}', 'Array', null, [1, 'x', true]],
    ['new ArrayList<>(Arrays.asList("a", "b"))', 'ArrayList', 'String', ['a', 'b']],
    ['new ArrayList<Float>() {{ add(1.0f); add(2.5f); }}', 'ArrayList', 'float', [1, 2.5]],
    ['new ArrayList<String>()', 'ArrayList', 'String', []],
    ['new HashMap<String, Object>() {{ put("a", 1); put("b", true); }}', 'HashMap', null, { a: 1, b: true }],
    ['new HashMap<>()', 'HashMap', null, {}],
    ['settings', 'HashMap', null, 'settings'],
  ])('%s as %s of %s', (source, type, nested, value) => {
    expect(toPlain(javaValue(source, type, nested))).toEqual(value)
  })
})

describe('a JavaScript expression', () => {
  it.each([
    [`'a'`, 'String', null, 'a'],
    ['12n', 'Bigint', null, 12],
    ['3.5', 'float', null, 3.5],
    ['false', 'Boolean', null, false],
    [`[1, 'two', true]`, 'array', null, [1, 'two', true]],
    ['new Array(1, 2)', 'array', 'integer', [1, 2]],
    ['[ [ 1, 2 ], [3,4]]', 'array', 'array', [[1, 2], [3, 4]]], // prettier-ignore
    ['new Array([1, 2], [3, 4])', 'array', 'array', [[1, 2], [3, 4]]], // prettier-ignore
    [
      `{'key1': 123, 'key2': 'value', 'list': ["a", "b"]}`,
      'dict',
      null,
      { key1: 123, key2: 'value', list: ['a', 'b'] },
    ],
    ['{}', 'dict', null, {}],
    ['makeOptions()', 'dict', null, 'makeOptions()'],
  ])('%s as %s of %s', (source, type, nested, value) => {
    expect(toPlain(javascriptValue(source, type, nested))).toEqual(value)
  })
})

const types = (known: ReadonlyMap<string, unknown>): fc.Arbitrary<string> => fc.constantFrom(...known.keys())
const source = fc
  .array(
    fc.constantFrom(
      'new ',
      'int[]',
      '{',
      '}',
      '{{',
      '}}',
      '[',
      ']',
      '(',
      ')',
      ',',
      ':',
      '"',
      "'",
      'add(',
      'put("',
      'a',
      '1',
      '\n',
      ' ',
      'new ArrayList<>(',
      'Arrays.asList(',
      'new HashMap<',
      '>()',
      'new Array(',
    ),
    { maxLength: 30 },
  ) // prettier-ignore
  .map((parts) => parts.join(''))

describe('any source text', () => {
  test.prop([source, types(JAVA_TYPES), fc.option(types(JAVA_TYPES))])(
    'gives some Java value',
    (text, type, nested) => {
      expect(javaValue(text, type, nested)).toBeDefined()
    },
  )

  test.prop([source, types(JAVASCRIPT_TYPES), fc.option(types(JAVASCRIPT_TYPES))])(
    'gives some JavaScript value',
    (text, type, nested) => {
      expect(javascriptValue(text, type, nested)).toBeDefined()
    },
  )
})
