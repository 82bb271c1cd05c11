import { type Expression, GrammarError, complement } from '../expression.ts'
import { readRegex } from '../regex.ts'
import { type Schema, isSchema } from '../schema-values.ts'

/** A condition of a schema that no grammar enforces; `path` says where it is. */
export type Unenforced = { readonly path: string; readonly keyword: string }

const MAX_DEPTH = 100
/** Engines copy the states of a repetition; older versions of llama.cpp refuse more. */
const MAX_COUNT = 2000
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$comment',
  '$anchor',
])
const UNENFORCED: ReadonlySet<string> = new Set([
  'format',
  'not',
  'if',
  'then',
  'else',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'contentEncoding',
  'contentMediaType',
])
const TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const

type Porting = {
  readonly root: unknown
  readonly definitions: Map<string, { readonly name: string; schema: unknown }>
  readonly unenforced: Unenforced[]
}

/**
 * The same schema in the words that engines enforce as JSON Schema means them: anchored patterns, `nullable` as a type, references into
 * `$defs`, constant lists and objects with any white space. What they do not enforce is left out and listed.
 */
export function portableSchema(
  schema: unknown,
  { root, path }: { readonly root: unknown; readonly path: string },
): { readonly schema: unknown; readonly unenforced: readonly Unenforced[] } {
  const porting: Porting = { root, definitions: new Map(), unenforced: [] }
  const ported = port(porting, schema, { path, depth: 0 })
  if (porting.definitions.size === 0) return { schema: ported, unenforced: porting.unenforced }
  const definitions = Object.fromEntries([...porting.definitions.values()].map((one) => [one.name, one.schema]))
  return { schema: { ...(isSchema(ported) ? ported : {}), $defs: definitions }, unenforced: porting.unenforced }
}

type At = { readonly path: string; readonly depth: number }

function port(porting: Porting, schema: unknown, { path, depth }: At): unknown {
  if (depth > MAX_DEPTH) throw new GrammarError(`${path}: the schema is nested more than ${MAX_DEPTH} deep.`)
  if (!isSchema(schema)) return schema === false ? false : {}
  const inner = (one: unknown, name: string): unknown => port(porting, one, { path: path + name, depth: depth + 1 })
  const drop = (keyword: string): void => void porting.unenforced.push({ path, keyword })
  if (typeof schema['$ref'] === 'string') return { $ref: referenceTo(porting, schema['$ref'], { path, depth }) }
  if ('const' in schema) return constantSchema(schema['const'])
  if (Array.isArray(schema['enum'])) return enumSchema(schema['enum'])
  if (schema['nullable'] === true) {
    const { nullable: _, ...rest } = schema
    return { anyOf: [inner(rest, ''), { type: 'null' }] }
  }
  const several = ['anyOf', 'oneOf'].find((key) => Array.isArray(schema[key]))
  if (several !== undefined) {
    if (several === 'oneOf') drop('oneOf (as anyOf)')
    const { [several]: list, ...rest } = schema
    const shared = isSchema(rest) && ('properties' in rest || 'type' in rest) ? rest : {}
    return {
      anyOf: (list as unknown[]).map((one, index) => inner(mergedSchema([shared, one]), `.${several}[${index}]`)),
    }
  }
  if (Array.isArray(schema['allOf'])) {
    const { allOf, ...rest } = schema
    const parts = [rest, ...(allOf as unknown[]).map((one) => resolved(one, porting.root))]
    return inner(
      mergedSchema(parts, () => drop('allOf')),
      '',
    )
  }
  return portTyped(schema, { drop, inner })
}

type Tools = { readonly drop: (keyword: string) => void; readonly inner: (schema: unknown, name: string) => unknown }

function portTyped(schema: Schema, { drop, inner }: Tools): Schema {
  const ported: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(key) || key === '$defs' || key === 'definitions') continue
    if (UNENFORCED.has(key)) drop(key)
    else if (key === 'pattern' && typeof value === 'string') {
      const pattern = portablePattern(value, 'json')
      if (pattern === null) drop('pattern')
      else ported[key] = pattern
    } else if (key === 'properties' && isSchema(value))
      ported[key] = Object.fromEntries(
        Object.entries(value)
          .filter(([, one]) => one !== false)
          .map(([name, one]) => [name, inner(one, `.${name}`)]),
      )
    else if (['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'].includes(key))
      if (Array.isArray(value)) ported['prefixItems'] = value.map((one, index) => inner(one, `[${index}]`))
      else ported[key] = value === true ? {} : inner(value, `.${key}`)
    else if (key === 'prefixItems' && Array.isArray(value))
      ported[key] = value.map((one, index) => inner(one, `[${index}]`))
    else if (key === 'maxLength' && typeof value === 'number' && value > MAX_COUNT) drop(key)
    else if ((key === 'maxItems' || key === 'maxProperties') && typeof value === 'number' && value > MAX_COUNT)
      drop(key)
    else if (key === 'multipleOf' && (schema['type'] !== 'integer' || 'minimum' in schema || 'maximum' in schema))
      drop(key)
    else ported[key] = value
  }
  if (ported['type'] === 'integer') {
    if (typeof ported['minimum'] === 'number') ported['minimum'] = Math.ceil(ported['minimum'])
    if (typeof ported['maximum'] === 'number') ported['maximum'] = Math.floor(ported['maximum'])
  }
  if ('pattern' in ported && ('minLength' in ported || 'maxLength' in ported))
    drop('minLength, maxLength (next to pattern)')
  return withRequired(ported)
}

// A property that is required but not described may be anything.
function withRequired(schema: Record<string, unknown>): Schema {
  const { required } = schema
  if (!Array.isArray(required)) return schema
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name)) as string[]
  if (missing.length === 0) return schema
  return { ...schema, properties: { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) } }
}

function referenceTo(porting: Porting, reference: string, { path, depth }: At): string {
  const known = porting.definitions.get(reference)
  if (known) return `#/$defs/${known.name}`
  const definition = { name: `d${porting.definitions.size}`, schema: {} as unknown }
  porting.definitions.set(reference, definition)
  definition.schema = port(porting, targetOf(porting.root, reference), { path, depth: depth + 1 })
  return `#/$defs/${definition.name}`
}

function targetOf(root: unknown, reference: string): unknown {
  const path = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '')
  let target: unknown = root
  for (const part of path) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    target = isSchema(target) && Object.hasOwn(target, name) ? target[name] : undefined
  }
  if (!reference.startsWith('#') || target === undefined)
    throw new GrammarError(`The reference ${JSON.stringify(reference).slice(0, 80)} leads to nothing in the schema.`)
  return target
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function resolved(schema: unknown, root: unknown): unknown {
  let found = schema
  for (let left = MAX_DEPTH; left > 0 && isSchema(found) && typeof found['$ref'] === 'string'; left -= 1)
    found = targetOf(root, found['$ref'])
  return found
}

// Objects are joined member by member; of other conditions the last one counts.
function mergedSchema(parts: readonly unknown[], onConflict: () => void = () => undefined): Schema {
  const merged: Record<string, unknown> = {}
  for (const part of parts.filter(isSchema))
    for (const [key, value] of Object.entries(part)) {
      const old = merged[key]
      if (key === 'properties' && isSchema(old) && isSchema(value)) merged[key] = { ...old, ...value }
      else if (key === 'required' && Array.isArray(old) && Array.isArray(value))
        merged[key] = [...new Set([...(old as unknown[]), ...(value as unknown[])])]
      else {
        const isAnnotation = ANNOTATIONS.has(key)
        if (old !== undefined && !isAnnotation && JSON.stringify(old) !== JSON.stringify(value)) onConflict()
        merged[key] = value
      }
    }
  return merged
}

function constantSchema(value: unknown): Schema {
  if (Array.isArray(value))
    return {
      type: 'array',
      prefixItems: value.map((one) => constantSchema(one)),
      items: false,
      minItems: value.length,
      maxItems: value.length,
    }
  if (!isSchema(value)) return { const: value }
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, constantSchema(one)])),
    required: Object.keys(value),
    additionalProperties: false,
  }
}

function enumSchema(values: readonly unknown[]): Schema {
  const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
  if (values.every(isPlain)) return { enum: values }
  return { anyOf: values.map((value) => constantSchema(value)) }
}

/** One way in which a value can fit a schema: a constant, or a value of one type. */
export type SchemaForm =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'typed'; readonly type: (typeof TYPES)[number] | 'integer'; readonly schema: Schema }

/** The ways in which a value can fit a schema, each of one type. */
export function schemaForms(schema: unknown, root: unknown, depth = 0): readonly SchemaForm[] {
  if (depth > MAX_DEPTH) throw new GrammarError(`The schema is nested more than ${MAX_DEPTH} deep.`)
  const again = (one: unknown): readonly SchemaForm[] => schemaForms(one, root, depth + 1)
  if (schema === false) return []
  if (!isSchema(schema)) return TYPES.map((type) => ({ kind: 'typed', type, schema: {} }))
  if (typeof schema['$ref'] === 'string') return again(targetOf(root, schema['$ref']))
  if ('const' in schema) return [{ kind: 'constant', value: schema['const'] }]
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value: unknown) => ({ kind: 'constant', value }))
  if (schema['nullable'] === true) {
    const { nullable: _, ...rest } = schema
    return [...again(rest), { kind: 'typed', type: 'null', schema: {} }]
  }
  const several = ['anyOf', 'oneOf'].find((key) => Array.isArray(schema[key]))
  if (several !== undefined) {
    const { [several]: list, ...rest } = schema
    return (list as unknown[]).flatMap((one) => again(mergedSchema([rest, one])))
  }
  if (Array.isArray(schema['allOf'])) {
    const { allOf, ...rest } = schema
    return again(mergedSchema([rest, ...(allOf as unknown[]).map((one) => resolved(one, root))]))
  }
  const { type } = schema
  if (Array.isArray(type)) return type.flatMap((one: unknown) => again({ ...schema, type: one }))
  const known = [...TYPES, 'integer' as const].find((one) => one === (type ?? guessedType(schema)))
  if (known) return [{ kind: 'typed', type: known, schema: withRequired({ ...schema }) }]
  if (type !== undefined) throw new GrammarError(`A schema has the unknown type ${JSON.stringify(type).slice(0, 60)}.`)
  return TYPES.map((one) => ({ kind: 'typed', type: one, schema }))
}

function guessedType(schema: Schema): string | undefined {
  if ('properties' in schema || 'additionalProperties' in schema) return 'object'
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined
}

/**
 * A pattern as engines need it, that is for the whole text and without anchors; null if they cannot enforce it. In JSON the text must not
 * need escapes.
 */
export function portablePattern(pattern: string, within: 'json' | { readonly without: string }): string | null {
  const isBegun = pattern.startsWith('^')
  const isEnded = /(?<!\\)(?:\\\\)*\$$/.test(pattern)
  const inner = pattern.slice(isBegun ? 1 : 0, isEnded ? -1 : undefined)
  if (/\(\?[^:]|\\[bB1-9kpP]/.test(inner) || hasAnchor(inner)) return null
  if ((isBegun || isEnded) && hasAlternatives(inner)) return null
  const around = within === 'json' ? String.raw`[^\x00-\x1f"\\]*` : null
  if (around === null && !(isBegun && isEnded)) return null
  const whole = `${isBegun ? '' : around}(${inner})${isEnded ? '' : around}`
  try {
    const refused = within === 'json' ? '"\\' : within.without.charAt(0)
    const isSafe = within === 'json' ? !hasText(readRegex(inner), refused) : !canHold(readRegex(inner), refused)
    return isSafe ? whole : null
  } catch (error) {
    if (error instanceof GrammarError) return null
    throw error
  }
}

// `^` and `$` outside of classes, in the middle.
function hasAnchor(pattern: string): boolean {
  return /[\^$]/.test(outsideClasses(pattern))
}

function hasAlternatives(pattern: string): boolean {
  let depth = 0
  for (const char of outsideClasses(pattern)) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (char === '|' && depth === 0) return true
  }
  return false
}

// The characters of a pattern without its classes and escapes.
function outsideClasses(pattern: string): string {
  let text = ''
  let isInClass = false
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at)
    if (char === '\\') at += 1
    else if (char === '[') isInClass = true
    else if (char === ']') isInClass = false
    else if (!isInClass) text += char
  }
  return text
}

function hasText(expression: Expression, letters: string): boolean {
  if (expression.kind === 'text') return [...letters].some((letter) => expression.value.includes(letter))
  if (expression.kind === 'characters')
    return (
      expression.ranges.length > 0 &&
      expression.ranges.every(([first, last]) => first === last && letters.includes(String.fromCodePoint(first)))
    )
  if (expression.kind === 'sequence' || expression.kind === 'choice')
    return expression.items.some((item) => hasText(item, letters))
  return expression.kind === 'repeat' && hasText(expression.item, letters)
}

function canHold(expression: Expression, letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0
  if (expression.kind === 'text') return expression.value.includes(letter)
  if (expression.kind === 'characters')
    return !complement(expression.ranges).some(([first, last]) => first <= code && code <= last)
  if (expression.kind === 'sequence' || expression.kind === 'choice')
    return expression.items.some((item) => canHold(item, letter))
  return expression.kind !== 'repeat' || canHold(expression.item, letter)
}
