import { type Expression, GrammarError, literal, repeat, sequence } from './expression.ts'
import type { ElementStyle, ValueType } from './schema-elements.ts'
import type { AddRule } from './schema-numbers.ts'
import { enclosed, membersOf } from './schema-object.ts'
import { STRING } from './schema-strings.ts'

/** Nesting of a schema that is read. */
export const MAX_DEPTH = 100

export type Schema = Readonly<Record<string, unknown>>

export type SchemaOptions = {
  readonly style: 'json' | ElementStyle
  readonly anyOrder: boolean
  /** The longest run of white space; null for any. */
  readonly maxWhitespace: number | null
}

/** What the parts of a schema share. `anyValue` is any JSON value; `references` has the rules of `$ref`, by kind and target. */
export type SchemaContext = {
  readonly root: unknown
  readonly options: SchemaOptions
  readonly space: Expression
  readonly addRule: AddRule
  readonly anyValue: Expression
  readonly references: Map<string, Expression>
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as XGrammar spells it in `enum` and `const`: compact, without escapes of non-ASCII. */
export function jsonSpelling(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll('\x7f', '\\u007f')
}

const TYPES: ReadonlySet<string> = new Set<ValueType>([
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'null',
])

/** The one type of a schema; without `type` it is guessed from the keywords, as XGrammar does. */
export function typeOfSchema(schema: Schema): ValueType {
  const { type } = schema
  if (typeof type === 'string') {
    if (TYPES.has(type)) return type as ValueType
    throw new GrammarError(`The type ${JSON.stringify(type.slice(0, 60))} of a schema is unknown.`)
  }
  if (['properties', 'additionalProperties', 'unevaluatedProperties'].some((key) => key in schema)) return 'object'
  return ['items', 'prefixItems', 'unevaluatedItems'].some((key) => key in schema) ? 'array' : 'any'
}

/**
 * The rule of a `$ref` of this document (`#`, or `#/a/b`). A reference elsewhere is any value. `kind` names how the target is written;
 * `write` writes it.
 */
export function resolveReference(
  context: SchemaContext,
  reference: unknown,
  kind: string,
  write: (target: unknown) => Expression,
): Expression {
  if (typeof reference !== 'string') throw new GrammarError('A $ref must be a string.')
  if (reference !== '#' && !reference.startsWith('#/')) return context.anyValue
  const key = `${kind} ${reference}`
  const known = context.references.get(key)
  if (known) return known
  let target: unknown = context.root
  for (const part of reference
    .slice(2)
    .split('/')
    .filter((name) => name !== '')) {
    if (!isSchema(target) || !Object.hasOwn(target, part))
      throw new GrammarError(
        `The schema has no ${JSON.stringify(part.slice(0, 60))}, which ${JSON.stringify(reference.slice(0, 60))} names.`,
      )
    target = target[part]
  }
  const added = context.addRule('reference')
  context.references.set(key, added.reference)
  added.set(write(target))
  return added.reference
}

export function enumValues(schema: Schema): readonly unknown[] {
  const values = schema['enum']
  if (!Array.isArray(values) || values.length === 0)
    throw new GrammarError('enum must be a list with at least one value.')
  return values
}

export function anyArray({ anyValue, space }: SchemaContext): Expression {
  return list(space, sequence(anyValue, repeat(sequence(space, literal(','), space, anyValue), 0, null)), true)
}

export function list(space: Expression, items: Expression, mayBeEmpty: boolean): Expression {
  return enclosed({ open: literal('['), close: literal(']'), space }, { some: items, mayBeEmpty })
}

export function anyObject(context: SchemaContext, value: Expression, space: Expression): Expression {
  const entry = sequence(STRING, space, literal(':'), space, value)
  const members = { declared: [], additional: entry, separator: comma(space), min: 0, max: null, anyOrder: false }
  return enclosed({ open: literal('{'), close: literal('}'), space }, membersOf(members, context.addRule))
}

export function comma(space: Expression): Expression {
  return sequence(space, literal(','), space)
}

/** What a schema of a list says: its first entries, the schema of the others (null: there are none), and how many. */
export function arrayParts(schema: Schema): {
  readonly prefix: readonly unknown[]
  readonly item: unknown
  readonly min: number
  readonly max: number | null
} {
  const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : []
  const items = schema['items'] ?? schema['unevaluatedItems']
  if (Array.isArray(items)) throw new GrammarError('items must be a schema; lists of schemas are prefixItems.')
  const item = items === undefined || items === false ? null : items
  const min = countOf(schema, 'minItems') ?? 0
  const max = countOf(schema, 'maxItems')
  if (max !== null && min > max) throw new GrammarError(`minItems ${min} is above maxItems ${max}.`)
  if (max !== null && max < prefix.length)
    throw new GrammarError(`maxItems ${max} is below the ${prefix.length} prefixItems.`)
  if (item === null && min > prefix.length)
    throw new GrammarError(`minItems is ${min}, but only ${prefix.length} entries may be written.`)
  return { prefix, item, min, max }
}

function countOf(schema: Schema, key: string): number | null {
  const value = schema[key]
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new GrammarError(`${key} must be a whole number that is not negative.`)
  return value
}

/** What a schema of an object says; `any` if it says nothing about members. `additional` is the schema of other members, or null. */
export function objectParts(schema: Schema):
  | 'any'
  | {
      readonly declared: readonly { readonly name: string; readonly schema: unknown; readonly isRequired: boolean }[]
      readonly patterns: readonly (readonly [pattern: string, schema: unknown])[]
      readonly additional: unknown
      readonly min: number
      readonly max: number | null
    } {
  const keys = [
    'properties',
    'required',
    'additionalProperties',
    'unevaluatedProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ]
  if (!keys.some((key) => key in schema)) return 'any'
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  const declared = Object.entries(properties).map(([name, one]) => ({
    name,
    schema: one,
    isRequired: required.includes(name),
  }))
  const byPattern = isSchema(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : []
  const names = isSchema(schema['propertyNames']) ? schema['propertyNames']['pattern'] : undefined
  const patterns = typeof names === 'string' && byPattern.length === 0 ? [[names, true] as const] : byPattern
  const other = schema['additionalProperties'] ?? schema['unevaluatedProperties'] ?? false
  const additional = other === false || patterns.length > 0 ? null : other
  return {
    declared,
    patterns,
    additional,
    min: countOf(schema, 'minProperties') ?? 0,
    max: countOf(schema, 'maxProperties'),
  }
}
