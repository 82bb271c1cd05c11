import type { Member, Shape } from './shape.ts'

type SchemaObject = Readonly<Record<string, unknown>>

/** The JSON Schema (draft 2020-12) of a shape, for editors. What only a module can hold is left out. */
export function jsonSchemaOf(shape: Shape): SchemaObject {
  switch (shape.kind) {
    case 'text':
      if (shape.choices === undefined) return { type: 'string' }
      if (shape.orMatching === undefined) return { enum: shape.choices }
      return { anyOf: [{ enum: shape.choices }, { type: 'string', pattern: shape.orMatching }] }
    case 'number':
      return {
        type: shape.whole === true ? 'integer' : 'number',
        ...(shape.min === undefined ? {} : { minimum: shape.min }),
        ...(shape.max === undefined ? {} : { maximum: shape.max }),
      }
    case 'flag':
      return { type: 'boolean' }
    case 'null':
      return { type: 'null' }
    case 'json':
    case 'function':
      return {}
    case 'list':
      return {
        type: 'array',
        ...(shape.min === undefined ? {} : { minItems: shape.min }),
        items: jsonSchemaOf(shape.of),
      }
    case 'record':
      return { type: 'object', additionalProperties: jsonSchemaOf(shape.of) }
    case 'object':
      return objectSchema(shape.members)
    case 'either':
      return { anyOf: shape.of.filter(({ kind }) => kind !== 'function').map(jsonSchemaOf) }
  }
}

function objectSchema(members: Readonly<Record<string, Member>>): SchemaObject {
  const written = Object.entries(members).filter(([, { shape }]) => shape.kind !== 'function')
  const required = written.filter(([, member]) => member.required === true).map(([name]) => name)
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties: Object.fromEntries(
      written.map(([name, { shape, about }]) => [
        name,
        { ...(about === undefined ? {} : { description: about }), ...jsonSchemaOf(shape) },
      ]),
    ),
  }
}
