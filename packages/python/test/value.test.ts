import { describe, expect, it } from 'vitest'
import { fromPlain, toPlain, type PlainValue, dumps, loads, InputError } from '../src/index.ts'

const GIVE = 'Give what JSON can hold.'

describe('fromPlain', () => {
  it('reads a whole number of plain data as an int', () => {
    expect(dumps(fromPlain({ a: 1, b: 1.5, c: -0 }))).toBe('{"a": 1, "b": 1.5, "c": -0.0}')
  })

  it('keeps what was read without loss, also inside plain data', () => {
    const parameters = loads('{"minimum": 1.0, "10": 1, "2": 12345678901234567890}')

    const tool = fromPlain({ name: 'add', parameters })

    expect(dumps(tool)).toBe('{"name": "add", "parameters": {"minimum": 1.0, "10": 1, "2": 12345678901234567890}}')
  })

  it('leaves out members that are undefined and keeps __proto__ as a key', () => {
    const plain = JSON.parse('{"__proto__": 1, "b": null}') as { readonly b: null }

    expect(dumps(fromPlain({ ...plain, gone: undefined }))).toBe('{"__proto__": 1, "b": null}')
  })

  it.each([
    ['a function', () => 1, 'A function is no data.'],
    ['a class', Date, 'A function is no data.'],
    ['a symbol', Symbol('s'), 'A symbol is no data.'],
  ])('refuses %s and names its place', (_, odd, message) => {
    const plain = { name: 'clock', parameters: { list: [1, { odd }] } } as unknown as PlainValue

    expect(() => fromPlain(odd as unknown as PlainValue)).toThrow(new InputError('value', `${message} ${GIVE}`))
    expect(() => fromPlain(plain, 'tools[2]')).toThrow(
      new InputError('tools[2].parameters.list[1].odd', `${message} ${GIVE}`),
    )
  })

  it('keeps numbers that are no JSON as floats', () => {
    expect(dumps(fromPlain([NaN, Infinity, -Infinity]))).toBe('[NaN, Infinity, -Infinity]')
  })
})

describe('toPlain', () => {
  it('gives a member called __proto__, not a prototype', () => {
    const plain = toPlain(loads('{"__proto__": {"polluted": true}}')) as object

    expect(Object.keys(plain)).toEqual(['__proto__'])
    expect('polluted' in plain).toBe(false)
  })
})
