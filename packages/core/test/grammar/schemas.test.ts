import { fromPlain, isDict } from '@callspec/python'
import type { PlainValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { resolvedSchema, schemasOf, typesOf } from '../../src/grammar/values.ts'

function types(schema: PlainValue, root: PlainValue = schema): readonly string[] {
  const whole = fromPlain(root)
  return typesOf(fromPlain(schema), isDict(whole) ? whole : null)
}

describe('the types that a schema allows', () => {
  it.each<[readonly string[], PlainValue]>([
    [['number'], { type: 'number', enum: ['a'] }],
    [['string', 'null'], { type: ['string', 'null', 1] }],
    [['string', 'null'], { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] }],
    [['integer', 'string'], { oneOf: [{ type: 'integer' }, { type: 'string' }] }],
    [['boolean'], { allOf: [{ type: 'boolean' }] }],
    [
      ['null', 'string', 'boolean', 'integer', 'number', 'array', 'object'],
      { enum: [null, 'a', true, 1, 1.5, [], {}, 'b'] },
    ],
    [['string'], { const: 'a' }],
    [['null'], { const: null }],
    [['object'], { properties: {}, items: {} }],
    [['array'], { items: {} }],
    [['array'], { $ref: '#/$defs/a~1b', $defs: { 'a/b': { items: {} } } }],
    [['array'], { $ref: '#/$defs/a~0b', $defs: { 'a~b': { items: {} } } }],
    [['object'], { anyOf: [{ $ref: '#' }, { properties: {} }, { $ref: '#' }] }],
    [[], { $ref: '#/$defs/none' }],
    [[], { $ref: '12a', a: { items: {} } }],
    [[], { $ref: 'other.json#/a' }],
    [[], {}],
    [[], 'string'],
  ])('are %j: %j', (allowed, schema) => {
    expect(types(schema)).toEqual(allowed)
  })

  it('are those of the whole schema where it is pointed at', () => {
    expect(types({ $ref: '#' }, { properties: {} })).toEqual(['object'])
  })

  it('are missing for a schema that points at itself, in any way', () => {
    expect(types({ $ref: '#/a' }, { a: { $ref: '#/a' } })).toEqual([])
    expect(types({ $ref: '#/a' }, { a: { anyOf: [{ $ref: '#/a' }] } })).toEqual([])
    expect(types({ $ref: '#/a' }, { a: { anyOf: [{ $ref: '#/a' }, { type: 'null' }] } })).toEqual(['null'])
  })

  it('are found through thirty references, and not through fifty', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`a${at}`, at === 59 ? { type: 'null' } : { $ref: `#/a${at + 1}` }]),
    )

    expect(types({ $ref: '#/a30' }, chain)).toEqual(['null'])
    expect(types({ $ref: '#/a10' }, chain)).toEqual([])
  })
})

describe('a schema without references', () => {
  const members = { properties: { a: { type: 'integer' } } }
  const elements = { items: { type: 'integer' } }
  const text = { type: 'string' }
  const resolved = (schema: PlainValue, root: PlainValue = schema): unknown => {
    const whole = fromPlain(root)
    return resolvedSchema(fromPlain(schema), isDict(whole) ? whole : null)
  }

  it.each<[PlainValue, PlainValue]>([
    [members, members],
    [elements, elements],
    [members, { anyOf: [text, members, elements] }],
    [elements, { oneOf: [text, elements, members] }],
    [members, { allOf: [text, members] }],
    [members, { anyOf: [text], oneOf: [text], allOf: [{ anyOf: [{ oneOf: [members] }] }] }],
    [members, { anyOf: [{ $ref: '#/$defs/none' }, { $ref: '#/$defs/f' }], $defs: { f: members } }],
    [{ anyOf: [text, text] }, { anyOf: [text, text] }],
    [text, { $ref: '#/$defs/t', $defs: { t: text } }],
    [
      { ...members, anyOf: [elements] },
      { ...members, anyOf: [elements] },
    ],
  ])('is the first alternative with members or elements, else the schema: %j of %j', (found, schema) => {
    expect(resolved(schema)).toEqual(fromPlain(found))
  })

  it('is missing for what is not a schema, and for references that lead nowhere or in a circle', () => {
    expect([resolved('string'), resolved({ $ref: '#/a' }), resolved({ $ref: '#/a' }, { a: { $ref: '#/a' } })]).toEqual([
      null,
      null,
      null,
    ])
  })
})

describe('a schema that points at itself many times', () => {
  it.each([20, 2_000])('is read as often as it is written: %i times', (times) => {
    const root = fromPlain({
      a: { anyOf: [...Array.from({ length: times }, () => ({ $ref: '#/a' })), { items: {} }] },
    })
    if (!isDict(root)) throw new Error('not a schema')
    let reads = 0
    const get = root.get.bind(root)
    root.get = (key) => {
      reads += 1
      return get(key)
    }

    expect(typesOf(root.get('a') ?? null, root)).toEqual(['array'])
    expect(resolvedSchema(get('a') ?? null, root)).toEqual(fromPlain({ items: {} }))
    expect(reads).toBe(2 * times + 1)
  })
})

describe('the schemas of tools', () => {
  it('are found by name, of a tool that is bare or wrapped, and not of anything else', () => {
    const parameters = { properties: { city: { type: 'string' } } }
    const tools: readonly PlainValue[] = [
      'f',
      { name: 1, parameters },
      { name: 'none' },
      { name: 'bare', parameters },
      { type: 'function', function: { name: 'wrapped', parameters } },
    ]
    const schemas = schemasOf(tools.map((tool) => fromPlain(tool)))
    const type = (tool: string, key: string): readonly string[] => typesOf(schemas(tool, key).schema, null)

    expect([type('bare', 'city'), type('wrapped', 'city')]).toEqual([['string'], ['string']])
    expect(schemas('bare', 'city').root).toEqual(fromPlain(parameters))
    expect([type('bare', 'other'), type('none', 'city'), type('f', 'city'), type('1', 'city')]).toEqual([
      [],
      [],
      [],
      [],
    ])
    expect(schemas('none', 'city')).toEqual({ schema: null, root: null })
  })
})
