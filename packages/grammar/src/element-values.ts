import { ANY_CHARACTERS, type Expression, GrammarError, choice, literal, repeat, sequence } from './expression.ts'
import {
  type ElementStyle,
  OTHER_NAME,
  type ValueType,
  cohereItem,
  elementClosing,
  elementOpening,
  hasFlagByType,
  otherName,
} from './schema-elements.ts'
import { membersOf } from './schema-object.ts'
import { STRING, stringCondition, textWithout } from './schema-strings.ts'
import {
  MAX_DEPTH,
  type Schema,
  type SchemaContext,
  anyArray,
  anyObject,
  arrayParts,
  enumValues,
  isSchema,
  jsonSpelling,
  objectParts,
  resolveReference,
  typeOfSchema,
} from './schema-values.ts'

/** Writes arguments as elements of a style; `json` writes what is JSON inside an element. */
type Writer = {
  readonly context: SchemaContext
  readonly style: ElementStyle
  readonly json: (schema: unknown, depth: number) => Expression
  /** A string: raw text up to the closing mark. */
  readonly text: Expression
  readonly close: Expression
  readonly anyText: Expression
}

/** One of the two places where a schema is written: all arguments, or the value of one. */
type Place = 'root' | 'value'

/**
 * The arguments that a schema allows, as elements. Values are text: strings raw up to the closing mark, the rest JSON with white space
 * around it.
 */
export function writeElements(
  context: SchemaContext,
  style: ElementStyle,
  json: (schema: unknown, depth: number) => Expression,
): Expression {
  const closing = elementClosing(style)
  const text = textWithout(closing)
  const anyJson = [anyArray(context), anyObject(context, context.anyValue, context.space)]
  const anyText = style === 'cohere_xml' ? context.anyValue : choice(text, ...anyJson)
  const writer: Writer = { context, style, json, text, close: literal(closing), anyText }
  return write(writer, context.root, { place: 'root', depth: 0 })
}

function write(writer: Writer, schema: unknown, at: { place: Place; depth: number }): Expression {
  const { place, depth } = at
  const { context, anyText } = writer
  const again = (other: unknown): Expression => write(writer, other, { place, depth: depth + 1 })
  if (depth > MAX_DEPTH) throw new GrammarError(`The schema is nested more than ${MAX_DEPTH} deep.`)
  if (schema === true) return anyText
  if (!isSchema(schema))
    throw new GrammarError(
      schema === false ? 'The schema false accepts no value.' : 'A schema must be an object or true.',
    )
  if (schema['$ref'] !== undefined) return resolveReference(context, schema['$ref'], place, again)
  if ('const' in schema) return literal(rawSpelling(schema['const']))
  if ('enum' in schema) return choice(...enumValues(schema).map((one) => literal(rawSpelling(one))))
  const several = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined
  if (several) return choice(...several.map(again))
  const all = schema['allOf']
  if (Array.isArray(all)) return all.length === 1 ? again(all[0]) : anyText
  const types = schema['type']
  if (Array.isArray(types) && types.length > 0)
    return choice(...types.map((type: unknown) => again({ ...schema, type })))
  return typedElement(writer, schema, at)
}

function typedElement(writer: Writer, schema: Schema, { place, depth }: { place: Place; depth: number }): Expression {
  const { style, text, anyText, json } = writer
  const type = typeOfSchema(schema)
  if (type === 'object' && (place === 'root' || style === 'cohere_xml')) return elements(writer, schema, depth)
  if (type === 'string') {
    const condition = stringCondition(schema, 'element') ?? text
    return condition === ANY_CHARACTERS && style === 'cohere_xml' ? STRING : condition
  }
  if (type === 'any') return anyText
  if (style === 'cohere_xml' && type === 'array') return cohereList(writer, schema, depth)
  // as in XGrammar: a list whose entries are not described is empty in an element, though it is any list in JSON.
  if (type === 'array' && place === 'value') return json({ minItems: 0, ...schema }, depth)
  return json(schema, depth)
}

function value(writer: Writer, schema: unknown, depth: number): Expression {
  return write(writer, schema, { place: 'value', depth })
}

function elements(writer: Writer, schema: Schema, depth: number): Expression {
  const { space, options, addRule } = writer.context
  const parts = objectParts(schema)
  const all = parts === 'any' ? { declared: [], additional: true, min: 0, max: null } : parts
  const declared = all.declared.map((one) => ({
    entry: element(writer, literal(one.name), { schema: one.schema, depth }),
    isRequired: one.isRequired,
  }))
  const additional =
    all.additional === null
      ? null
      : otherElement(
          writer,
          all.declared.map(({ name }) => name),
          { schema: all.additional, depth },
        )
  const { min, max } = all
  const members = { declared, additional, separator: space, min, max, anyOrder: options.anyOrder }
  const { some, mayBeEmpty } = membersOf(members, addRule)
  if (some === null) return space
  const inner = sequence(space, some, space)
  return mayBeEmpty ? choice(inner, space) : inner
}

function element(writer: Writer, name: Expression, { schema, depth }: { schema: unknown; depth: number }): Expression {
  const { style, text, close, context } = writer
  const cases = style === 'cohere_xml' ? casesOf(schema) : [schema]
  return choice(
    ...cases.map((one) => {
      const type = elementType(style, one)
      const opening = elementOpening(style, name, type, context.space)
      if (isPlainString(one)) return sequence(opening, text, close)
      if (type === 'string' && hasFlagByType(style)) return sequence(opening, value(writer, one, depth + 1), close)
      return sequence(opening, context.space, value(writer, one, depth + 1), context.space, close)
    }),
  )
}

// A member that is not declared. Only in Cohere's style may it not have the name of one that is; there it is written by its type, too.
function otherElement(
  writer: Writer,
  names: readonly string[],
  { schema, depth }: { schema: unknown; depth: number },
): Expression {
  const { style, close, context } = writer
  if (style === 'cohere_xml') return element(writer, otherName(names), { schema, depth })
  const opening = elementOpening(style, OTHER_NAME, 'any', context.space)
  return sequence(opening, context.space, value(writer, schema, depth + 1), context.space, close)
}

// In Cohere's style the entries of a list are elements without a name.
function cohereList(writer: Writer, schema: Schema, depth: number): Expression {
  const { space } = writer.context
  const { prefix, item, min, max } = arrayParts(schema)
  const entry = (schema: unknown): Expression =>
    choice(
      ...casesOf(schema).map((one) => {
        const inner = value(writer, one, depth + 1)
        const padded = isPlainString(one) ? inner : sequence(space, inner, space)
        return sequence(literal(cohereItem(elementType(writer.style, one))), padded, writer.close)
      }),
    )
  const most = max === null ? null : max - prefix.length
  const rest = item === null ? [] : [repeat(entry(item), Math.max(0, min - prefix.length), most)]
  return sequence(...prefix.map(entry), ...rest)
}

// Strings without quotes; the rest as JSON.
function rawSpelling(value: unknown): string {
  return typeof value === 'string' ? value : jsonSpelling(value)
}

// A string without a condition keeps white space around it; others have it added.
function isPlainString(schema: unknown): boolean {
  if (!isSchema(schema) || schema['type'] !== 'string') return false
  const conditions = ['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf']
  return !conditions.some((key) => key in schema) && stringCondition(schema, 'element') === null
}

// Cohere writes constant lists and objects as JSON.
function elementType(style: ElementStyle, schema: unknown): ValueType {
  const type = schemaType(schema)
  const isConstant = isSchema(schema) && ('const' in schema || 'enum' in schema)
  return style === 'cohere_xml' && isConstant && (type === 'object' || type === 'array') ? 'any' : type
}

function schemaType(schema: unknown): ValueType {
  if (!isSchema(schema)) return 'any'
  const values =
    'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : null
  if (values) {
    const types = new Set(values.map(typeOfValue))
    const [type] = types
    return types.size === 1 && type !== undefined ? type : 'any'
  }
  if (['$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema) || Array.isArray(schema['type'])) return 'any'
  return typeOfSchema(schema)
}

function typeOfValue(value: unknown): ValueType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
    return typeof value as 'number' | 'boolean' | 'string'
  return 'object'
}

// Cohere writes a case per type, each with its own mark.
function casesOf(schema: unknown, depth = 0): readonly unknown[] {
  if (!isSchema(schema) || depth > MAX_DEPTH) return [schema]
  const several = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined
  if (several) return several.flatMap((one) => casesOf(one, depth + 1))
  const values = schema['enum']
  if (Array.isArray(values) && values.length > 0 && schemaType(schema) === 'any')
    return values.map((one) => ({ const: one as unknown }))
  const types = schema['type']
  return Array.isArray(types) && types.length > 0
    ? types.map((type) => ({ ...schema, type: type as unknown }))
    : [schema]
}
