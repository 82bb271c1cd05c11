import { className, isDict, isList, repr, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { compilePattern } from '../regex/pattern.ts'
import { RegexError } from '../regex/regex-cursor.ts'
import { TemplateRaise, faultOf } from './fault.ts'
import type { Fault } from './fault.ts'
import { CONTENT_PARSERS } from './response-template.ts'
import type { ContentParser, Delimiter, ResponseTemplate, TemplateField } from './response-template.ts'
import { isMixedPlaceholder } from './transform.ts'

/** A loaded template, or why it is refused. */
export type LoadResult =
  { readonly kind: 'loaded'; readonly template: ResponseTemplate } | { readonly kind: 'refused'; readonly fault: Fault }

/**
 * Loads a `response_template` as transformers does: the first fault is reported, with its text. Total.
 *
 * @param value the object, read without loss (`loads` of `@callspec/python`)
 */
export function loadTemplate(value: PyValue): LoadResult {
  try {
    return { kind: 'loaded', template: readTemplate(value) }
  } catch (error) {
    if (error instanceof TemplateRaise) return { kind: 'refused', fault: faultOf('load', error) }
    throw error
  }
}

const TEMPLATE_KEYS = new Set(['version', 'defaults', 'fields', 'start_anchor', 'start_anchor_pattern'])
const FIELD_KEYS = new Set([
  ...['open', 'open_pattern', 'close', 'close_pattern', 'content', 'content_args'],
  ...['repeats', 'join', 'optional', 'transform', 'transform_each'],
])

function readTemplate(value: PyValue): ResponseTemplate {
  if (!isDict(value))
    throw new TemplateRaise('not-an-object', `response_template must be a dict, got ${className(value)}`)
  const version = value.has('version') ? (value.get('version') ?? null) : 1n
  if (version !== 1n && version !== 1 && version !== true) {
    throw new TemplateRaise('version', `Unsupported response_template version: ${pythonText(version)}`)
  }
  const unknown = unknownKeys(value, TEMPLATE_KEYS)
  if (unknown !== null) throw new TemplateRaise('unknown-key', `Unknown keys in response_template: ${unknown}`)
  const defaults = value.has('defaults') ? (value.get('defaults') ?? null) : new Map<string, PyValue>()
  if (!isDict(defaults)) throw new TemplateRaise('defaults-type', 'response_template.defaults must be a dict')
  const entries = value.get('fields') ?? null
  if (!isDict(entries) || entries.size === 0) {
    throw new TemplateRaise('fields-type', 'response_template.fields must be a non-empty dict')
  }
  const fields = Array.from(entries, ([name, field]) => readField(name, field))
  refuseTwoImplicit(fields)
  const anchor = readDelimiter(value, 'response_template', 'start_anchor')
  if (anchor === null) {
    throw new TemplateRaise('no-anchor', "response_template must define 'start_anchor' or 'start_anchor_pattern'.")
  }
  return { defaults, fields, anchor, source: value }
}

function pythonText(value: PyValue): string {
  return typeof value === 'string' ? value : repr(value)
}

/** The keys that are not known, sorted and as Python writes a list; null if all are known. */
function unknownKeys(dict: PyDict, known: ReadonlySet<string>): string | null {
  const unknown = Array.from(dict.keys()).filter((key) => !known.has(key))
  return unknown.length === 0 ? null : repr(sortedTexts(unknown))
}

function sortedTexts(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
}

function readField(name: string, field: PyValue): TemplateField {
  const scope = `Field '${name}'`
  if (!isDict(field)) throw new TemplateRaise('field-type', `${scope} must be a dict`)
  const unknown = unknownKeys(field, FIELD_KEYS)
  if (unknown !== null) throw new TemplateRaise('unknown-field-key', `${scope}: unknown keys ${unknown}`)
  const content = readContent(scope, field)
  const open = readDelimiter(field, scope, 'open')
  const close = readDelimiter(field, scope, 'close')
  const isRepeated = truthy(field.get('repeats'))
  const join = readJoin(scope, field, isRepeated)
  const transform = readTransform(scope, field)
  if (transform === null) refuseGroups(scope, open, close)
  const contentArguments = field.get('content_args') ?? null
  return {
    name,
    open,
    close,
    content,
    contentArguments: isDict(contentArguments) ? contentArguments : new Map<string, PyValue>(),
    isRepeated,
    join,
    isOptional: field.has('optional') ? truthy(field.get('optional')) : true,
    transform,
  }
}

function readContent(scope: string, field: PyDict): ContentParser {
  const content = field.has('content') ? (field.get('content') ?? null) : 'text'
  if (isList(content) || isDict(content)) {
    throw new TemplateRaise('content-type', `unhashable type: '${className(content)}'`, 'TypeError')
  }
  const known = CONTENT_PARSERS.find((parser) => parser === content)
  if (known !== undefined) return known
  const name = repr(content)
  throw new TemplateRaise(
    'unknown-content',
    `${scope}: unknown content parser ${name}. Available: ${repr(CONTENT_PARSERS)}`,
  )
}

/** An opener, a closer or the anchor: `key` holds texts, `key_pattern` a pattern. Null if neither is there. */
function readDelimiter(owner: PyDict, scope: string, key: 'open' | 'close' | 'start_anchor'): Delimiter | null {
  const patternKey = `${key}_pattern`
  if (owner.has(key) && owner.has(patternKey)) {
    throw new TemplateRaise('both-forms', `${scope}: cannot specify both '${key}' and '${patternKey}'`)
  }
  if (owner.has(key)) return literalDelimiter(readLiterals(owner.get(key) ?? null, scope, key))
  if (!owner.has(patternKey)) return null
  const pattern = owner.get(patternKey) ?? null
  if (typeof pattern !== 'string') {
    throw new TemplateRaise('pattern-type', 'first argument must be a string or compiled pattern', 'TypeError')
  }
  try {
    return { kind: 'pattern', pattern: compilePattern(pattern) }
  } catch (error) {
    if (error instanceof RegexError) {
      throw new TemplateRaise('regex', `${scope}: invalid ${patternKey} regex: ${error.message}`)
    }
    throw error
  }
}

function readLiterals(value: PyValue, scope: string, key: string): readonly string[] {
  if (typeof value !== 'string' && !isList(value)) {
    const got = className(value)
    throw new TemplateRaise('literal-type', `${scope}: '${key}' must be a string or list of strings, got ${got}`)
  }
  const literals = typeof value === 'string' ? [value] : value
  if (literals.length === 0) {
    throw new TemplateRaise('empty-list', `${scope}: '${key}' list must contain at least one literal`)
  }
  const texts = literals.filter((literal) => typeof literal === 'string')
  if (texts.length < literals.length) {
    throw new TemplateRaise('list-of-non-strings', `${scope}: '${key}' list must contain only strings`)
  }
  if (texts.includes(''))
    throw new TemplateRaise('empty-literal', `${scope}: '${key}' literals cannot be empty strings`)
  return texts
}

/** Texts as a delimiter: each once, the longest first. */
function literalDelimiter(texts: readonly string[]): Delimiter {
  const literals = Array.from(new Set(texts)).toSorted((left, right) => lengthOf(right) - lengthOf(left))
  const sorted = sortedTexts(literals)
  // In order, a text that is the beginning of another one is the beginning of the next.
  const canExtend = sorted.some((text, index) => sorted[index + 1]?.startsWith(text) === true)
  return { kind: 'literals', literals, canExtend }
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

function readJoin(scope: string, field: PyDict, isRepeated: boolean): string | null {
  const join = field.get('join') ?? null
  if (join === null) return null
  if (typeof join !== 'string') {
    throw new TemplateRaise('join-type', `${scope}: 'join' must be a string, got ${className(join)}`)
  }
  if (!isRepeated) throw new TemplateRaise('join-without-repeats', `${scope}: 'join' requires 'repeats': true`)
  return join
}

function readTransform(scope: string, field: PyDict): TemplateField['transform'] {
  const value = field.get('transform') ?? null
  const each = field.has('transform_each') ? (field.get('transform_each') ?? null) : false
  if (typeof each !== 'boolean') {
    throw new TemplateRaise('transform-each-type', `${scope}: transform_each must be a bool, got ${className(each)}`)
  }
  if (each && value === null) {
    throw new TemplateRaise('transform-each-alone', `${scope}: transform_each is set but no transform was provided`)
  }
  if (value === null) return null
  refuseMixed(scope, value)
  return { value, isForEach: each }
}

function refuseMixed(scope: string, value: PyValue): void {
  if (isList(value)) for (const item of value) refuseMixed(scope, item)
  else if (isDict(value)) for (const item of value.values()) refuseMixed(scope, item)
  else if (typeof value === 'string' && isMixedPlaceholder(value)) {
    throw new TemplateRaise(
      'mixed-placeholder',
      `${scope}: transform string ${repr(value)} mixes a {placeholder} with literal text. Use either a whole-string ` +
        'placeholder (e.g. "{content}") or a plain literal; string interpolation is not supported.',
    )
  }
}

function refuseGroups(scope: string, open: Delimiter | null, close: Delimiter | null): void {
  const names = [open, close].flatMap((side) =>
    side?.kind === 'pattern' ? Array.from(side.pattern.parsed.names.keys()) : [],
  )
  if (names.length === 0) return
  throw new TemplateRaise(
    'groups-without-transform',
    `${scope}: open_pattern/close_pattern declares named group(s) ${repr(sortedTexts(Array.from(new Set(names))))}, but the field has ` +
      "no 'transform'. Named captures are only surfaced through a 'transform' template (where they appear alongside " +
      "'content'). Either add a 'transform' that uses the captures, or remove the named groups from the pattern.",
  )
}

function refuseTwoImplicit(fields: readonly TemplateField[]): void {
  const implicit = fields.filter((field) => field.open === null).map((field) => field.name)
  if (implicit.length < 2) return
  throw new TemplateRaise(
    'two-implicit',
    "At most one field may omit 'open'/'open_pattern' (that field becomes the implicit-open / leftover sink). " +
      `Found: ${implicit.join(', ')}`,
  )
}
