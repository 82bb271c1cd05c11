import { isSchema } from './schema-values.ts'

const MAX_DEPTH = 100

/**
 * Why a JSON value does not fit a JSON Schema, with the place; null if it does. Knows the keywords that tools use: types, members, lists,
 * `enum`, `const`, alternatives, references in the document, bounds, lengths, patterns and four formats. Others are not checked. A hostile
 * schema or pattern can take very long: bound it.
 */
export function misfit(value: unknown, schema: unknown, root: unknown = schema): string | null {
  return check(value, { schema, root, path: 'arguments', depth: 0 })
}

type Place = { readonly schema: unknown; readonly root: unknown; readonly path: string; readonly depth: number }

function check(value: unknown, place: Place): string | null {
  const { schema, root, path, depth } = place
  if (schema === false) return `${path} is not allowed`
  if (!isSchema(schema) || depth > MAX_DEPTH) return null
  const inner = (one: unknown, other: unknown, name = ''): string | null =>
    check(other, { schema: one, root, path: path + name, depth: depth + 1 })
  if (typeof schema['$ref'] === 'string') return inner(targetOf(root, schema['$ref']), value)
  if ('const' in schema && !isSame(value, schema['const'])) return `${path} is not ${JSON.stringify(schema['const'])}`
  if (Array.isArray(schema['enum']) && !schema['enum'].some((one) => isSame(value, one)))
    return `${path} is not one of ${JSON.stringify(schema['enum'])}`
  const types = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']]
  const isNullable = schema['nullable'] === true && value === null
  if (schema['type'] !== undefined && !isNullable && !types.some((type) => hasType(value, type)))
    return `${path} is not of the type ${types.join(' or ')}`
  for (const key of ['anyOf', 'oneOf']) {
    const several = schema[key]
    if (Array.isArray(several) && several.every((one: unknown) => inner(one, value) !== null))
      return `${path} fits no schema of ${key}`
  }
  for (const one of Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : []) {
    const reason = inner(one, value)
    if (reason !== null) return reason
  }
  if (typeof value === 'string') return checkText(value, schema, path)
  if (typeof value === 'number') return checkNumber(value, schema, path)
  if (Array.isArray(value)) return checkList(value, schema, path, inner)
  return isSchema(value) ? checkMembers(value, schema, path, inner) : null
}

type Inner = (schema: unknown, value: unknown, name?: string) => string | null
type Schema = Readonly<Record<string, unknown>>

function checkText(value: string, schema: Schema, path: string): string | null {
  const length = [...value].length
  const { minLength, maxLength, pattern } = schema
  if (typeof minLength === 'number' && length < minLength) return `${path} has fewer than ${minLength} characters`
  if (typeof maxLength === 'number' && length > maxLength) return `${path} has more than ${maxLength} characters`
  if (typeof pattern === 'string' && isPatternBroken(value, pattern)) return `${path} does not match ${pattern}`
  const format = FORMATS[String(schema['format'])]
  return format === undefined || format.test(value) ? null : `${path} is not of the format ${String(schema['format'])}`
}

/** Those that grammars of engines know. */
const FORMATS: Readonly<Record<string, RegExp | undefined>> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i,
  'date-time':
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i,
  uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
}

// Only the patterns of people who call this; texts are short.
function isPatternBroken(value: string, pattern: string): boolean {
  try {
    return value.length < 1000 && !new RegExp(pattern, 'u').test(value)
  } catch {
    return false
  }
}

function checkNumber(value: number, schema: Schema, path: string): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof minimum === 'number' && value < minimum) return `${path} is below ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `${path} is above ${maximum}`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `${path} is not above ${exclusiveMinimum}`
  return typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum
    ? `${path} is not below ${exclusiveMaximum}`
    : null
}

function checkList(value: readonly unknown[], schema: Schema, path: string, inner: Inner): string | null {
  const { minItems, maxItems } = schema
  if (typeof minItems === 'number' && value.length < minItems) return `${path} has fewer than ${minItems} entries`
  if (typeof maxItems === 'number' && value.length > maxItems) return `${path} has more than ${maxItems} entries`
  const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : []
  for (const [index, one] of value.entries()) {
    const reason = inner(index < prefix.length ? prefix[index] : (schema['items'] ?? true), one, `[${index}]`)
    if (reason !== null) return reason
  }
  return null
}

function checkMembers(value: Schema, schema: Schema, path: string, inner: Inner): string | null {
  for (const name of Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [])
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${path}.${name} is missing`
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const others = isSchema(schema['patternProperties']) ? true : (schema['additionalProperties'] ?? true)
  for (const [name, one] of Object.entries(value)) {
    const reason = inner(Object.hasOwn(properties, name) ? properties[name] : others, one, `.${name}`)
    if (reason !== null) return reason
  }
  return null
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'object':
      return isSchema(value)
    default:
      return typeof value === type
  }
}

function targetOf(root: unknown, reference: string): unknown {
  let target: unknown = root
  for (const part of reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== ''))
    target = isSchema(target) && Object.hasOwn(target, unescaped(part)) ? target[unescaped(part)] : true
  return target
}

/** Of a JSON pointer (RFC 6901). */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
