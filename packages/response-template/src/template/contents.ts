import { Raise, isDict, isList, loads, quoteAscii, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { allMatches, compilePattern } from '../regex/pattern.ts'
import { PatternLimitError } from '../regex/search.ts'
import type { Pattern } from '../regex/pattern.ts'
import { RegexError } from '../regex/regex-cursor.ts'
import { TemplateRaise } from './fault.ts'
import { readFloat, readInt } from './numbers.ts'
import { CONTENT_PARSERS } from './response-template.ts'
import type { ContentParser } from './response-template.ts'

/**
 * The value of the text of a region (spec §4).
 *
 * @throws TemplateRaise where the reference raises
 */
export function contentValue(parser: ContentParser, body: string, settings: PyDict): PyValue {
  const stripped = (): string => (isStripped(settings) ? strip(body) : body)
  switch (parser) {
    case 'text':
      return stripped()
    case 'int':
      return intValue(stripped())
    case 'float':
      return floatValue(stripped())
    case 'bool':
      return ['true', '1'].includes(stripped().toLowerCase())
    case 'json':
      return jsonValue(body, settings)
    case 'xml-inline':
      return xmlValue(body, settings)
    case 'kv-lines':
      return lineValues(body, settings)
  }
}

function isStripped(settings: PyDict): boolean {
  return !settings.has('strip') || truthy(settings.get('strip'))
}

function intValue(text: string): bigint {
  const value = readInt(text)
  if (typeof value === 'bigint') return value
  if (value === 'too-many-digits') throw tooManyDigits()
  throw new TemplateRaise('int', `invalid literal for int() with base 10: ${JSON.stringify(text)}`)
}

function tooManyDigits(): TemplateRaise {
  return new TemplateRaise('int-digits', 'Exceeds the limit (4300 digits) for integer string conversion')
}

function floatValue(text: string): number {
  const value = readFloat(text)
  if (typeof value === 'number') return value
  throw new TemplateRaise('float', `could not convert string to float: ${JSON.stringify(text)}`)
}

/** JSON, with texts in other quotation marks and bare keys where the settings allow them (spec §4.1). */
function jsonValue(body: string, settings: PyDict): PyValue {
  const text = standardJson(body, settings)
  try {
    return loads(text)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    if (error.type === 'RecursionError') throw new TemplateRaise('other', error.message, 'RecursionError')
    if (error.type !== 'JSONDecodeError') throw tooManyDigits()
    if (truthy(settings.get('allow_non_json'))) return isStripped(settings) ? strip(body) : body
    if (text === body) {
      throw new TemplateRaise(
        'json',
        `json parser could not parse region as JSON. Content: ${shown(body)} Error: ${error.message}`,
      )
    }
    throw new TemplateRaise(
      'json-dialect',
      `json: could not parse after dialect transforms. Original: ${shown(body)} Transformed: ${shown(text)} Error: ${error.message}`,
    )
  }
}

const SHOWN = 200

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}

const BARE_KEY = /(?<=[{,])([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+):/gu

function standardJson(body: string, settings: PyDict): string {
  const pairs = quotationMarks(settings.get('string_delims') ?? null)
  if (pairs.length === 0 && !truthy(settings.get('unquoted_keys'))) return body
  let text = body
  const taken: string[] = []
  if (pairs.length > 0) {
    if (/[\u0001\u0002]/.test(body)) {
      throw new TemplateRaise(
        'json-sentinel',
        'json: input contains reserved sentinel characters (\\x01/\\x02); cannot parse safely.',
      )
    }
    for (const pair of pairs) text = withoutStrings(text, pair, taken)
  }
  if (truthy(settings.get('unquoted_keys'))) text = text.replace(BARE_KEY, '"$1":')
  return text.replace(/\u0001(\d+)\u0002/gu, (_, index: string) => quoteAscii(taken[Number(index)] ?? ''))
}

function quotationMarks(value: PyValue): readonly (readonly [string, string])[] {
  if (!isList(value)) return []
  return value.flatMap((pair) => {
    if (!isList(pair)) return []
    const [open = null, close = null] = pair
    return typeof open === 'string' && typeof close === 'string' ? [[open, close] as const] : []
  })
}

/** The text with each string between two marks replaced by its number; the strings are added to `taken`. */
function withoutStrings(text: string, [open, close]: readonly [string, string], taken: string[]): string {
  let result = ''
  let from = 0
  for (;;) {
    const begin = text.indexOf(open, from)
    const end = begin < 0 ? -1 : text.indexOf(close, begin + open.length)
    if (end < 0 || (open === '' && close === '')) return result + text.slice(from)
    result += `${text.slice(from, begin)}\u0001${taken.length}\u0002`
    taken.push(text.slice(begin + open.length, end))
    from = end + close.length
  }
}

const patterns = new WeakMap<PyDict, Pattern>()

function tagPattern(settings: PyDict): Pattern {
  const known = patterns.get(settings)
  if (known !== undefined) return known
  const source = settings.get('tag_pattern') ?? null
  if (source === null || source === '') {
    throw new TemplateRaise('no-tag-pattern', "xml-inline: 'tag_pattern' content_arg is required")
  }
  if (typeof source !== 'string') {
    throw new TemplateRaise('other', 'first argument must be a string or compiled pattern', 'TypeError')
  }
  try {
    const pattern = compilePattern(source)
    patterns.set(settings, pattern)
    return pattern
  } catch (error) {
    if (error instanceof RegexError)
      throw new TemplateRaise('regex', `xml-inline: tag_pattern: ${error.message}`, 'error')
    throw error
  }
}

function xmlValue(body: string, settings: PyDict): PyValue {
  const pattern = tagPattern(settings)
  const values = new Map<string, PyValue>()
  const isMerged = truthy(settings.get('merge_duplicates'))
  const hasValue = pattern.parsed.names.has('value')
  try {
    for (const match of allMatches(pattern, body)) {
      const key = match.named.get('key')
      if (key === undefined) {
        throw new TemplateRaise(
          'no-key-group',
          `xml-inline: tag_pattern must have a named group 'key'. Pattern: ${pattern.source}`,
        )
      }
      const value = innerValue(hasValue ? (match.named.get('value') ?? null) : '', settings)
      const before = values.get(key)
      if (before === undefined || !isMerged) values.set(key, value)
      else values.set(key, isList(before) ? [...before, value] : [before, value])
    }
  } catch (error) {
    if (error instanceof PatternLimitError)
      throw new TemplateRaise('pattern-limit', `xml-inline: ${error.message}`, 'Limit')
    throw error
  }
  return values
}

function lineValues(body: string, settings: PyDict): PyValue {
  const lineEnd = separator(settings, 'line_sep', '\n')
  const keyEnd = separator(settings, 'kv_sep', ':')
  const values = new Map<string, PyValue>()
  const edges = isStripped(settings) ? strip : (text: string): string => text
  for (const whole of body.split(lineEnd)) {
    const line = edges(whole)
    const at = line.indexOf(keyEnd)
    if (line === '' || at < 0) continue
    values.set(edges(line.slice(0, at)), innerValue(edges(line.slice(at + keyEnd.length)), settings))
  }
  return values
}

function separator(settings: PyDict, name: string, usual: string): string {
  const value = settings.has(name) ? (settings.get(name) ?? null) : usual
  if (typeof value !== 'string') throw new TemplateRaise('other', `kv-lines: ${name} must be str`, 'TypeError')
  if (value === '') throw new TemplateRaise('other', 'empty separator')
  return value
}

/** A value inside of a region, through the `value_parser` of the settings; without one it stays as it is. */
function innerValue(text: string | null, settings: PyDict): PyValue {
  const chosen = settings.get('value_parser') ?? null
  if (!isDict(chosen) || chosen.size === 0) return text
  const name = chosen.has('name') ? (chosen.get('name') ?? null) : 'text'
  const parser = CONTENT_PARSERS.find((known) => known === name)
  if (parser === undefined)
    throw new TemplateRaise('value-parser', typeof name === 'string' ? name : 'value_parser', 'KeyError')
  const inner = chosen.get('args') ?? null
  if (text === null) {
    const type = parser === 'json' || parser === 'xml-inline' ? 'TypeError' : 'AttributeError'
    throw new TemplateRaise('value-group-absent', "'NoneType' object is no text", type)
  }
  return contentValue(parser, text, isDict(inner) ? inner : NO_SETTINGS)
}

const NO_SETTINGS: PyDict = new Map<string, PyValue>()
