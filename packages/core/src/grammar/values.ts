import { afterSpace, beforeSpace, dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Schemas, ValuePlace } from './grammar.ts'
import { jsonOfLiteral } from './python.ts'

/** How a family of formats writes values, where families differ. */
export interface TypingRules {
  /**
   * Line feeds that belong to the format at each end of a value, not to the value.
   *
   *   > <parameter=k>\nv\n</parameter>
   *                  ^    ^              one of each
   */
  readonly lineFeeds: 0 | 1
  /** Whether prompts contain Python's words: then `True`, `False` and `None` are read, in upper and lower case. */
  readonly pythonWords: boolean
  /** Whether prompts contain objects and lists as Python prints them: then a literal is read if the value is not JSON. */
  readonly pythonLiterals?: true
}

/**
 * The JSON of a value that is written as text, typed by the schema of its parameter. A value that is not of that type stays a
 * text; nothing is evaluated, and the result never has NaN or Infinity. Numbers keep their spelling.
 *
 *   > <parameter=days>1.0</parameter>
 *                     ^  ^              for an integer: 1.0
 *   > <parameter=days>soon</parameter>
 *                     ^   ^              for an integer: "soon"
 *   > <parameter=zip>007</parameter>
 *                    ^  ^              for a string: "007"
 */
export function typeValueBySchema(rules: TypingRules): (text: string, place: ValuePlace) => string {
  return (text, { schema, root }) => {
    const value = rules.lineFeeds === 0 ? text : withoutLineFeeds(text)
    const types = typesOf(schema, root)
    let json: string | null = null
    for (const type of ORDER) if (types.includes(type)) json ??= READERS[type](value, rules)
    // If no text is allowed, JSON of another type is what was meant: null for a number, a list for an object.
    if (!includesText(types)) for (const type of ANY) json ??= READERS[type](value, rules)
    return json ?? dumps(value)
  }
}

/** Whether a value may be a text; any may whose schema says nothing. */
export function allowsText({ schema, root }: ValuePlace): boolean {
  return includesText(typesOf(schema, root))
}

function includesText(types: readonly string[]): boolean {
  return types.length === 0 || types.some((type) => TEXTS.has(type))
}

/** The order in which several types are tried; a text comes last. */
const ORDER = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const

/** Names that schemas have for a text. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'str', 'text'])

/** `quoted`: a text in quotation marks, if the schema does not allow a text. */
type TypeName = (typeof ORDER)[number] | 'quoted'

const ANY: readonly TypeName[] = [...ORDER, 'quoted']

const READERS: { readonly [Name in TypeName]: (text: string, rules: TypingRules) => string | null } = {
  null: (text, rules) => word(text, rules, NULLS),
  integer: jsonNumber,
  number: jsonNumber,
  boolean: (text, rules) => word(text, rules, BOOLEANS),
  object: (text, rules) => container(text, '{', rules),
  array: (text, rules) => container(text, '[', rules),
  quoted: (text) => jsonFrom(text, '"'),
}

const NULLS: ReadonlyMap<string, string> = new Map([
  ['null', 'null'],
  ['none', 'null'],
])
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
])
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function word(text: string, { pythonWords }: TypingRules, words: ReadonlyMap<string, string>): string | null {
  const bare = trimmed(text)
  if (bare.length > LONGEST_WORD) return null
  return words.get(pythonWords ? bare.toLowerCase() : bare) ?? null
}

const LONGEST_WORD = 5

/**
 * A number as JSON spells it, without white space around it; null for other text.
 *
 *   > <parameter=n> 1e5 </parameter>
 *                  ^    ^              1e5
 *   > <parameter=n>1_000</parameter>
 *                  ^    ^              null: only Python has this number
 */
export function jsonNumber(text: string): string | null {
  const bare = trimmed(text)
  if (!NUMBER.test(bare)) return null
  // Integers have any size; every reader takes 1e999 for Infinity, which JSON does not have.
  return !/[.eE]/.test(bare) || Number.isFinite(Number(bare)) ? bare : null
}

function container(text: string, open: '{' | '[', { pythonLiterals }: TypingRules): string | null {
  const json = jsonFrom(text, open)
  return json === null && pythonLiterals === true && trimmed(text).startsWith(open)
    ? jsonOfLiteral(trimmed(text))
    : json
}

/**
 * JSON of the kind that `open` begins; null for other text.
 *
 *   > <parameter=o>{"a": 1}</parameter>
 *                  ^       ^              for an object
 *   > <parameter=o>[1]</parameter>
 *                  ^  ^              null: a list is not an object
 */
function jsonFrom(text: string, open: '{' | '[' | '"'): string | null {
  const bare = trimmed(text)
  if (!bare.startsWith(open)) return null
  try {
    JSON.parse(bare)
    return bare
  } catch {
    return null
  }
}

function withoutLineFeeds(text: string): string {
  const start = text.startsWith('\n') ? 1 : 0
  const end = text.length > start && text.endsWith('\n') ? text.length - 1 : text.length
  return text.slice(start, end)
}

function trimmed(text: string): string {
  return text.slice(afterSpace(text), beforeSpace(text))
}

/** The schemas of tools, bare or wrapped as `{type: "function", function: …}`. */
export function schemasOf(tools: readonly PyValue[]): Schemas {
  const known = new Map<string, PyDict>()
  for (const tool of tools) {
    const bare = toolOf(tool)
    const name = bare?.get('name')
    const parameters = bare?.get('parameters')
    if (typeof name === 'string' && isDict(parameters)) known.set(name, parameters)
  }
  return (tool, key) => {
    const root = known.get(tool) ?? null
    const properties = root?.get('properties')
    return { schema: (isDict(properties) ? properties.get(key) : null) ?? null, root }
  }
}

/** A tool without its wrapper; null for a value that is not a tool. */
export function toolOf(tool: PyValue): PyDict | null {
  if (!isDict(tool)) return null
  const inner = tool.get('function')
  return isDict(inner) ? inner : tool
}

/** The types that a schema allows, in its order; empty if it names no type. Linear in the schema. */
export function typesOf(schema: PyValue, root: PyDict | null): readonly string[] {
  return namedTypes(schema) ?? unique(typesIn(schema, { root, depth: 0, seen: new Set() }))
}

/** The types that a schema names itself, as most do; null if it may name them elsewhere. */
function namedTypes(schema: PyValue): readonly string[] | null {
  if (!isDict(schema)) return []
  const type = schema.get('type')
  if (typeof type === 'string') return [type]
  return isList(type) ? type.filter((each) => typeof each === 'string') : null
}

interface SchemaSearch {
  readonly root: PyDict | null
  readonly depth: number
  /** Schemas that need no second look: two references to itself in each would double the work at every step. */
  readonly seen: Set<PyDict>
}

function typesIn(schema: PyValue, { root, depth, seen }: SchemaSearch): readonly string[] {
  const named = namedTypes(schema)
  if (named !== null) return named
  if (!isDict(schema) || depth > MAX_REFERENCES || seen.has(schema)) return []
  seen.add(schema)
  const inner = { root, depth: depth + 1, seen }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema.get(key)
    if (isList(options)) return options.flatMap((each) => typesIn(each, inner))
  }
  const values = schema.get('enum')
  if (isList(values)) return values.map(typeOfValue)
  if (schema.has('const')) return [typeOfValue(schema.get('const') ?? null)]
  if (schema.has('properties')) return ['object']
  if (schema.has('items')) return ['array']
  const reference = schema.get('$ref')
  return typeof reference === 'string' ? typesIn(schemaAt(reference, root), inner) : []
}

/** A schema without references: of several alternatives, the first that has members or elements. Null for none. Linear in the schema. */
export function resolvedSchema(schema: PyValue, root: PyDict | null): PyDict | null {
  return resolvedIn(schema, { root, depth: 0, seen: new Set() })
}

function resolvedIn(schema: PyValue, { root, depth, seen }: SchemaSearch): PyDict | null {
  if (!isDict(schema) || depth > MAX_REFERENCES || seen.has(schema)) return null
  seen.add(schema)
  if (hasParts(schema)) return schema
  const inner = { root, depth: depth + 1, seen }
  const reference = schema.get('$ref')
  if (typeof reference === 'string') return resolvedIn(schemaAt(reference, root), inner)
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema.get(key)
    for (const option of isList(options) ? options : []) {
      const found = resolvedIn(option, inner)
      if (found !== null && hasParts(found)) return found
    }
  }
  return schema
}

function hasParts(schema: PyDict): boolean {
  return schema.has('properties') || schema.has('items')
}

/** Schemas may refer to themselves. */
const MAX_REFERENCES = 32

function schemaAt(reference: string, root: PyDict | null): PyValue {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return null
  let value: PyValue | undefined = root
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isDict(value) ? value.get(key) : undefined
  }
  return value ?? null
}

function typeOfValue(value: PyValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'number'
  return isList(value) ? 'array' : 'object'
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
