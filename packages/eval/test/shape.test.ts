import { describe, expect, it } from 'vitest'
import { checkShape, either, FLAG, FUNCTION, JSON_OBJECT, list, number } from '../src/shape/shape.ts'
import { member, object, oneOf, required, TEXT, whole } from '../src/shape/shape.ts'

const SHAPE = object({
  name: required(TEXT, 'What it is called.'),
  size: oneOf(['s', 'm']),
  count: whole(1, 3),
  share: number({ min: 0, max: 1 }),
  on: member(FLAG),
  tags: either(TEXT, list(TEXT)),
  extra: JSON_OBJECT,
  run: FUNCTION,
})

describe('a value is checked against its shape', () => {
  it('and has it', () => {
    const value = {
      $schema: 'x',
      name: 'a',
      size: 's',
      count: 3,
      share: 0.5,
      on: false,
      tags: ['a'],
      extra: { b: [1] },
    }

    expect(checkShape(SHAPE, value)).toBeNull()
    expect(checkShape(SHAPE, { name: 'a', tags: 'b', count: undefined, run: () => 1 })).toBeNull()
  })

  it.each<[unknown, (string | number)[], string]>([
    [[], [], 'must be an object'],
    [{}, [], 'has no "name"'],
    [{ name: 1 }, ['name'], 'must be a text'],
    [{ name: 'a', size: 'l' }, ['size'], 'is "l". Known: s, m'],
    [{ name: 'a', count: 4 }, ['count'], 'must be a whole number from 1 to 3, not 4'],
    [{ name: 'a', count: 1.5 }, ['count'], 'must be a whole number from 1 to 3, not 1.5'],
    [{ name: 'a', share: NaN }, ['share'], 'must be a number from 0 to 1, not NaN'],
    [{ name: 'a', on: 'yes' }, ['on'], 'must be true or false'],
    [{ name: 'a', tags: { x: 1 } }, ['tags'], 'must be a text or a list'],
    [{ name: 'a', tags: ['x', 2] }, ['tags', 1], 'must be a text'],
    [{ name: 'a', extra: { f: () => 1 } }, ['extra', 'f'], 'must be a value that JSON can hold, not function'],
    [{ name: 'a', nmae: 1 }, ['nmae'], 'unknown key "nmae"'],
    [{ name: 'a', constructor: 1 }, ['constructor'], 'unknown key "constructor"'],
    [{ name: 'a', tags: ['$schema'], $schema2: 1 }, ['$schema2'], 'unknown key "$schema2"'],
  ])('and %j at %j has this fault', (value, path, message) => {
    expect(checkShape(SHAPE, value)).toMatchObject({ path, message })
  })

  it('names the known keys for an unknown key', () => {
    expect(checkShape(SHAPE, { name: 'a', szie: 's' })?.unknown).toEqual({
      name: 'szie',
      known: ['name', 'size', 'count', 'share', 'on', 'tags', 'extra', 'run'],
    })
  })

  it('and an object that contains itself ends the walk', () => {
    const round: Record<string, unknown> = {}
    round['round'] = round

    expect(checkShape(SHAPE, { name: 'a', extra: round })?.message).toBe('is nested too deeply')
  })
})

it('the JSON Schema of a shape lacks members that JSON cannot hold', () => {
  expect(SHAPE.json).toEqual({
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { description: 'What it is called.', type: 'string' },
      size: { enum: ['s', 'm'] },
      count: { type: 'integer', minimum: 1, maximum: 3 },
      share: { type: 'number', minimum: 0, maximum: 1 },
      on: { type: 'boolean' },
      tags: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      extra: { type: 'object', additionalProperties: {} },
    },
  })
})
