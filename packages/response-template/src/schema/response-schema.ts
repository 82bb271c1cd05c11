import { InputError, Raise, isDict, isList, loads, strip } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { allMatches, compilePattern, searchPattern } from '../regex/pattern.ts'
import { PatternLimitError } from '../regex/search.ts'
import type { Pattern, PatternMatch } from '../regex/pattern.ts'
import { RegexError } from '../regex/regex-cursor.ts'
import { contentValue } from '../template/contents.ts'
import { TemplateRaise } from '../template/fault.ts'
import { readFloat, readInt } from '../template/numbers.ts'
import { PathExpressionError, compilePathExpression } from './path-expression.ts'

/** Versions of the reader of `response_schema`: as first released, and the last one before it was deprecated. */
export type SchemaVersion = '5.0' | '5.12'

/** What a `response_schema` makes of a reply; a raise with Python's type. */
export type SchemaResult =
  | { readonly kind: 'read'; readonly value: PyValue }
  | { readonly kind: 'raised'; readonly type: string; readonly message: string }

/** Reads a reply by the older `response_schema` (spec §13). Never throws. */
export function readBySchema(schema: PyValue, text: string, version: SchemaVersion = '5.12'): SchemaResult {
  try {
    return { kind: 'read', value: parseNode(text, schema, { version, depth: 0 }) }
  } catch (error) {
    if (
      error instanceof SchemaRaise ||
      error instanceof PathExpressionError ||
      error instanceof TemplateRaise ||
      error instanceof Raise
    ) {
      return { kind: 'raised', type: error.type, message: error.message }
    }
    if (error instanceof RegexError) return { kind: 'raised', type: 'error', message: error.message }
    if (error instanceof PatternLimitError) return { kind: 'raised', type: 'Limit', message: error.message }
    if (error instanceof InputError) return { kind: 'raised', type: 'ValueError', message: error.message }
    throw error
  }
}

class SchemaRaise extends Error {
  readonly type: 'TypeError' | 'ValueError' | 'RecursionError'

  constructor(type: 'TypeError' | 'ValueError' | 'RecursionError', message: string) {
    super(message)
    this.name = 'SchemaRaise'
    this.type = type
  }
}

interface NodeContext {
  readonly version: SchemaVersion
  readonly depth: number
}

/** Python gives up at about this depth. */
const MAX_DEPTH = 300
const REGEX_KEYS = ['x-regex-substitutions', 'x-regex', 'x-regex-iterator', 'x-regex-key-value'] as const

function parseNode(content: PyValue, schema: PyValue, context: NodeContext): PyValue {
  if (context.depth > MAX_DEPTH) throw new SchemaRaise('RecursionError', 'The schema is nested too deeply.')
  if (!isDict(schema)) throw new SchemaRaise('TypeError', 'A schema must be an object.')
  if (schema.has('const')) return schema.get('const') ?? null
  if (content === null) return null
  const extracted = extract(content, schema, context)
  if (extracted === undefined) return null
  return typed(parsed(extracted, schema, context), schema, context)
}

/** Steps 3 to 7: what the patterns of the schema take of a text; null if the group took no part, undefined if nothing fits. */
function extract(content: PyValue, schema: PyDict, { version }: NodeContext): PyValue | undefined {
  const keys = REGEX_KEYS.filter((key) => schema.has(key) && !(version === '5.0' && key === 'x-regex-substitutions'))
  if (keys.length === 0) return content
  if (typeof content !== 'string') throw new SchemaRaise('TypeError', `${keys[0] ?? ''} needs a text.`)
  let value: PyValue = keys.includes('x-regex-substitutions')
    ? substituted(content, schema.get('x-regex-substitutions') ?? null)
    : content
  if (keys.includes('x-regex')) {
    const match = searchPattern(patternOf(schema, 'x-regex'), textOf(value))
    if (match === null) return undefined
    value = groupsOf(match, patternOf(schema, 'x-regex'))
  }
  if (keys.includes('x-regex-iterator')) {
    if (schema.get('type') !== 'array') throw new SchemaRaise('TypeError', 'x-regex-iterator needs the type array.')
    const matches = Array.from(allMatches(patternOf(schema, 'x-regex-iterator'), textOf(value)))
    if (matches.length === 0) return undefined
    value = matches.map((match) => groupsOf(match, patternOf(schema, 'x-regex-iterator')))
  }
  if (keys.includes('x-regex-key-value')) {
    if (schema.get('type') !== 'object') throw new SchemaRaise('TypeError', 'x-regex-key-value needs the type object.')
    const members = new Map<string, PyValue>()
    for (const match of allMatches(patternOf(schema, 'x-regex-key-value'), textOf(value))) {
      const key = match.named.get('key')
      if (key === undefined || !match.named.has('value')) {
        throw new SchemaRaise('ValueError', 'x-regex-key-value needs the groups key and value.')
      }
      members.set(key, match.named.get('value') ?? null)
    }
    if (members.size === 0) return undefined
    value = members
  }
  return value
}

function textOf(value: PyValue): string {
  if (typeof value === 'string') return value
  throw new SchemaRaise('TypeError', 'expected string or bytes-like object')
}

const patterns = new Map<string, Pattern>()
const MAX_PATTERNS = 200

function patternOf(schema: PyDict, key: string): Pattern {
  return compiled(textOf(schema.get(key) ?? null))
}

function compiled(source: string): Pattern {
  const known = patterns.get(source)
  if (known !== undefined) return known
  const pattern = compilePattern(source, 're')
  if (patterns.size < MAX_PATTERNS) patterns.set(source, pattern)
  return pattern
}

/** Named groups as an object, else the only group. */
function groupsOf(match: PatternMatch, pattern: Pattern): PyValue {
  if (pattern.parsed.names.size > 0) return new Map<string, PyValue>(match.named)
  if (match.groups.length === 2) return match.groups[1] ?? null
  throw new SchemaRaise('ValueError', 'A pattern must have named groups or exactly one group.')
}

function substituted(content: string, rules: PyValue): string {
  if (!isList(rules)) throw new SchemaRaise('TypeError', 'x-regex-substitutions must be a list.')
  return rules.reduce((text: string, rule) => {
    const [pattern = null, replacement = null] = isList(rule) ? rule : []
    return replaceAll(text, textOf(pattern), textOf(replacement))
  }, content)
}

/** `re.sub`: `\1`, `\g<1>` and `\g<name>` in the replacement are groups. */
function replaceAll(text: string, source: string, replacement: string): string {
  const parts: string[] = []
  let from = 0
  for (const match of allMatches(compiled(source), text)) {
    parts.push(text.slice(from, match.start), expanded(replacement, match))
    from = match.end
  }
  return parts.join('') + text.slice(from)
}

function expanded(replacement: string, match: PatternMatch): string {
  return replacement.replace(
    /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/gu,
    (_, name?: string, number?: string, control?: string) => {
      if (control !== undefined) return { n: '\n', r: '\r', t: '\t' }[control] ?? '\\'
      if (name !== undefined && !/^\d+$/.test(name)) return match.named.get(name) ?? ''
      const index = Number(name ?? number)
      if (index >= match.groups.length) throw new RegexError('invalid group reference', 0)
      return match.groups[index] ?? ''
    },
  )
}

/** Step 8: `x-parser`, and the mappings of the first version. */
function parsed(content: PyValue, schema: PyDict, { version }: NodeContext): PyValue {
  const parser = schema.get('x-parser') ?? null
  const value = parser === null ? content : parserValue(parser, content, schema, version)
  return version === '5.0' ? mapped(value, schema) : value
}

function parserValue(parser: PyValue, content: PyValue, schema: PyDict, version: SchemaVersion): PyValue {
  if (parser === 'gemma4-tool-call' && version !== '5.0') {
    return contentValue('json', textOf(content), GEMMA)
  }
  if (parser !== 'json') throw new SchemaRaise('ValueError', 'x-parser is not known.')
  const settings = schema.get('x-parser-args') ?? null
  const given: PyDict = isDict(settings) ? settings : new Map<string, PyValue>()
  const value = jsonOf(textOf(content), given.get('allow_non_json') === true)
  const transform = given.get('transform') ?? null
  return typeof transform === 'string' ? compilePathExpression(transform)(value) : value
}

const GEMMA: PyDict = new Map<string, PyValue>([
  ['unquoted_keys', true],
  ['string_delims', [['<|"|>', '<|"|>']]],
])

function jsonOf(text: string, isTextAllowed: boolean): PyValue {
  try {
    return loads(text)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    if (isTextAllowed && error.type === 'JSONDecodeError') return text
    throw new SchemaRaise(error.type === 'RecursionError' ? 'RecursionError' : 'ValueError', error.message)
  }
}

function mapped(value: PyValue, schema: PyDict): PyValue {
  const mapping = schema.get('x-mapping') ?? null
  const patternMapping = schema.get('x-mapping-regex') ?? null
  let result = value
  if (isDict(mapping)) {
    const text = textOf(result)
    result = mapping.get(text) ?? text
  }
  if (isDict(patternMapping)) {
    result = Array.from(patternMapping).reduce(
      (text, [source, replacement]) => replaceAll(text, source, textOf(replacement)),
      textOf(result),
    )
  }
  return result
}

/** Step 9: the value as the type of the schema. */
function typed(content: PyValue, schema: PyDict, context: NodeContext): PyValue {
  const type = schema.get('type') ?? null
  switch (type) {
    case 'object':
      return objectOf(content, schema, context)
    case 'array':
      return arrayOf(content, schema, context)
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return scalarOf(content, type, context.version)
    case null:
      return content
    default:
      if (type === 'any' && context.version !== '5.0') return content
      throw new SchemaRaise('TypeError', 'The type of a schema is not known.')
  }
}

function objectOf(content: PyValue, schema: PyDict, context: NodeContext): PyValue {
  const properties = schema.get('properties') ?? null
  const members = isDict(properties) ? properties : new Map<string, PyValue>()
  const inner = { ...context, depth: context.depth + 1 }
  const result = new Map<string, PyValue>()
  if (typeof content === 'string') {
    if (members.size === 0) throw new SchemaRaise('ValueError', 'An object that is read from a text needs properties.')
    for (const [name, member] of members) {
      const value = parseNode(content, member, inner)
      if (value !== null) result.set(name, value)
    }
  } else if (isDict(content)) {
    readMembers(content, { members, schema, inner }, result)
  } else throw new SchemaRaise('TypeError', 'Expected an object or a text.')
  refuseIncomplete(result, schema, context.version)
  return result
}

function readMembers(
  content: PyDict,
  given: { readonly members: PyDict; readonly schema: PyDict; readonly inner: NodeContext },
  result: Map<string, PyValue>,
): void {
  const { members, schema, inner } = given
  for (const [name, member] of members) {
    if (isDict(member) && member.has('const')) result.set(name, member.get('const') ?? null)
    else if (content.has(name)) result.set(name, parseNode(content.get(name) ?? null, member, inner))
    else if (isDict(member) && member.has('default')) result.set(name, member.get('default') ?? null)
  }
  const further = schema.has('additionalProperties') ? (schema.get('additionalProperties') ?? null) : undefined
  const isKept = inner.version === '5.0' ? further !== undefined : further !== false
  if (!isKept) return
  const rest = Array.from(content).filter(([name]) => !members.has(name))
  for (const [name, value] of rest) {
    if (further === undefined || further === true) {
      if (inner.version === '5.0') throw new SchemaRaise('TypeError', 'additionalProperties must be a schema.')
      result.set(name, value)
    } else result.set(name, parseNode(value, further, inner))
  }
}

function refuseIncomplete(result: PyDict, schema: PyDict, version: SchemaVersion): void {
  const required = schema.get('required') ?? null
  if (version === '5.0' || !isList(required)) return
  const missing = required.filter((name) => typeof name !== 'string' || !result.has(name))
  if (missing.length > 0) throw new SchemaRaise('ValueError', 'A required member is missing.')
}

function arrayOf(content: PyValue, schema: PyDict, context: NodeContext): PyValue {
  const inner = { ...context, depth: context.depth + 1 }
  if (content === '' || (isList(content) && content.length === 0)) return []
  const items = schema.get('items') ?? null
  const prefixItems = schema.get('prefixItems') ?? null
  if (isDict(items)) {
    if (!isList(content)) throw new SchemaRaise('TypeError', 'Expected a list.')
    return content.map((item) => parseNode(item, items, inner))
  }
  if (!isList(prefixItems)) throw new SchemaRaise('ValueError', 'An array needs items or prefixItems.')
  const list = isList(content) ? content : [content]
  if (list.length !== prefixItems.length)
    throw new SchemaRaise('ValueError', 'prefixItems and the list have different lengths.')
  return list.map((item, index) => parseNode(item, prefixItems[index] ?? null, inner))
}

function scalarOf(
  content: PyValue,
  type: 'string' | 'integer' | 'number' | 'boolean',
  version: SchemaVersion,
): PyValue {
  if (typeof content === 'string') return scalarFromText(content, type)
  if (version === '5.0') throw new SchemaRaise('TypeError', `Expected a text for the type ${type}.`)
  if (type === 'integer' && (typeof content === 'bigint' || typeof content === 'boolean')) return content
  if (type === 'number' && typeof content === 'number') return content
  if (type === 'number' && (typeof content === 'bigint' || typeof content === 'boolean')) return Number(content)
  if (type === 'boolean' && typeof content === 'boolean') return content
  throw new SchemaRaise('TypeError', `Expected a value of the type ${type}.`)
}

function scalarFromText(text: string, type: 'string' | 'integer' | 'number' | 'boolean'): PyValue {
  switch (type) {
    case 'string':
      return text
    case 'integer': {
      const value = readInt(text)
      if (typeof value === 'bigint') return value
      throw new SchemaRaise('ValueError', `not an integer: ${strip(text).slice(0, 40)}`)
    }
    case 'number': {
      const value = readFloat(text)
      if (typeof value === 'number') return value
      throw new SchemaRaise('ValueError', `not a number: ${strip(text).slice(0, 40)}`)
    }
    case 'boolean': {
      const word = text.toLowerCase()
      if (word === 'true' || word === '1') return true
      if (word === 'false' || word === '0') return false
      throw new SchemaRaise('ValueError', 'not a boolean')
    }
  }
}
