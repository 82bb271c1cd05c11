import { writeElements } from './element-values.ts'
import {
  EMPTY,
  type Expression,
  GrammarError,
  characters,
  choice,
  literal,
  otherCharacters,
  repeat,
  rule,
  sequence,
} from './expression.ts'
import { readRegex } from './regex.ts'
import { type AddRule, NUMBER, integerOf, numberOf } from './schema-numbers.ts'
import { enclosed, membersOf } from './schema-object.ts'
import { ESCAPE, STRING, STRING_REST, stringCondition } from './schema-strings.ts'
import {
  MAX_DEPTH,
  type Schema,
  type SchemaContext,
  type SchemaOptions,
  anyArray,
  anyObject,
  arrayParts,
  comma,
  enumValues,
  isSchema,
  jsonSpelling,
  list,
  objectParts,
  resolveReference,
  typeOfSchema,
} from './schema-values.ts'

/**
 * The arguments that a JSON Schema allows, as XGrammar writes them: JSON, or elements of a `style`. Adds named rules to `rules`.
 * Throws `GrammarError` for schemas that XGrammar refuses.
 */
export function readSchema(schema: unknown, options: SchemaOptions, rules: Map<string, Expression>): Expression {
  const addRule: AddRule = (hint) => {
    const name = `${hint}-${rules.size}`
    rules.set(name, EMPTY)
    return { reference: rule(name), set: (body) => void rules.set(name, body) }
  }
  const space = repeat(characters(' \n\t'), 0, options.maxWhitespace)
  const context: SchemaContext = {
    root: schema,
    options,
    space,
    addRule,
    anyValue: addRule('any').reference,
    references: new Map(),
  }
  setAny(context, rules)
  const json = (value: unknown, depth: number): Expression => jsonValue(context, value, depth)
  const { style } = options
  return style === 'json' ? json(schema, 0) : writeElements(context, style, json)
}

function setAny(context: SchemaContext, rules: Map<string, Expression>): void {
  const { anyValue, space } = context
  if (anyValue.kind !== 'rule') return
  rules.set(
    anyValue.name,
    choice(
      NUMBER,
      STRING,
      literal('true'),
      literal('false'),
      literal('null'),
      anyArray(context),
      anyObject(context, anyValue, space),
    ),
  )
}

/** JSON of a schema. */
function jsonValue(context: SchemaContext, schema: unknown, depth: number): Expression {
  if (depth > MAX_DEPTH) throw new GrammarError(`The schema is nested more than ${MAX_DEPTH} deep.`)
  if (schema === true) return context.anyValue
  if (!isSchema(schema))
    throw new GrammarError(
      schema === false ? 'The schema false accepts no value.' : 'A schema must be an object or true.',
    )
  if (schema['$ref'] !== undefined)
    return resolveReference(context, schema['$ref'], 'json', (target) => jsonValue(context, target, depth + 1))
  if ('const' in schema) return literal(jsonSpelling(schema['const']))
  if ('enum' in schema) return choice(...enumValues(schema).map((value) => literal(jsonSpelling(value))))
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[key]))
      return choice(...(schema[key] as unknown[]).map((one) => jsonValue(context, one, depth + 1)))
  const all = schema['allOf']
  if (Array.isArray(all)) return all.length === 1 ? jsonValue(context, all[0], depth + 1) : context.anyValue
  const types = schema['type']
  if (Array.isArray(types) && types.length > 0)
    return choice(...types.map((type: unknown) => jsonValue(context, { ...schema, type }, depth + 1)))
  return typedValue(context, schema, depth)
}

function typedValue(context: SchemaContext, schema: Schema, depth: number): Expression {
  const type = typeOfSchema(schema)
  switch (type) {
    case 'string': {
      const condition = stringCondition(schema, 'json')
      return condition ? sequence(literal('"'), condition, literal('"')) : STRING
    }
    case 'integer':
      return integerOf(schema, context.addRule)
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return choice(literal('true'), literal('false'))
    case 'null':
      return literal('null')
    case 'array':
      return jsonArray(context, schema, depth)
    case 'object':
      return jsonObject(context, schema, depth)
    default:
      return context.anyValue
  }
}

function jsonArray(context: SchemaContext, schema: Schema, depth: number): Expression {
  const { space } = context
  const keys = ['items', 'prefixItems', 'unevaluatedItems', 'minItems', 'maxItems', 'uniqueItems']
  if (!keys.some((key) => key in schema)) return anyArray(context)
  const { prefix, item, min, max } = arrayParts(schema)
  const first = prefix.map((one) => jsonValue(context, one, depth + 1))
  const other = item === null ? null : jsonValue(context, item, depth + 1)
  const separated = other && sequence(comma(space), other)
  const least = Math.max(0, min - first.length)
  const most = max === null ? null : max - first.length
  if (first.length > 0) {
    const rest = separated ? repeat(separated, least, most) : EMPTY
    const listed = first.flatMap((one, index) => (index === 0 ? [one] : [comma(space), one]))
    return list(space, sequence(...listed, rest), false)
  }
  if (!other || !separated || most === 0) return sequence(literal('['), space, literal(']'))
  const items = sequence(other, repeat(separated, Math.max(0, least - 1), most === null ? null : most - 1))
  return list(space, items, least === 0)
}

function jsonObject(context: SchemaContext, schema: Schema, depth: number): Expression {
  const { space } = context
  const parts = objectParts(schema)
  if (parts === 'any') return anyObject(context, context.anyValue, space)
  const pair = (key: Expression, value: unknown): Expression =>
    sequence(key, space, literal(':'), space, value === true ? context.anyValue : jsonValue(context, value, depth + 1))
  const declared = parts.declared.map(({ name, schema: one, isRequired }) => ({
    entry: pair(literal(jsonSpelling(name)), one),
    isRequired,
  }))
  const patterns = parts.patterns.map(([pattern, one]) =>
    pair(sequence(literal('"'), readRegex(pattern), literal('"')), one),
  )
  const names = parts.declared.map(({ name }) => jsonSpelling(name).slice(1, -1))
  const other = parts.additional === null ? [] : [pair(otherKey(names), parts.additional)]
  const additional = patterns.length > 0 ? choice(...patterns) : (other[0] ?? null)
  const members = { ...parts, declared, additional, separator: comma(space), anyOrder: context.options.anyOrder }
  return enclosed({ open: literal('{'), close: literal('}'), space }, membersOf(members, context.addRule))
}

/** The text of a key that is none of the given ones, with its quotes; the given keys are compared as they are spelled. */
function otherKey(names: readonly string[]): Expression {
  const build = (rest: readonly string[], depth: number): Expression => {
    const next = new Map<string, string[]>()
    for (const name of rest) {
      const [char] = name
      if (char !== undefined && char !== '\\') next.set(char, [...(next.get(char) ?? []), name.slice(char.length)])
    }
    const parts: Expression[] = rest.includes('') && depth > 0 ? [] : [literal('"')]
    parts.push(sequence(otherCharacters([0, 0x1f], '"\\', ...next.keys()), STRING_REST), sequence(ESCAPE, STRING_REST))
    for (const [char, endings] of next)
      parts.push(sequence(literal(char), depth < MAX_DEPTH ? build(endings, depth + 1) : STRING_REST))
    return choice(...parts)
  }
  return sequence(literal('"'), build(names, 0))
}
