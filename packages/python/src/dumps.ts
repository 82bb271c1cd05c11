import { MAX_DEPTH, tooDeep } from './errors.ts'
import { floatText, intText, isDict, isList } from './value.ts'
import type { PyValue } from './value.ts'

/** How `dumps` lays out and escapes. */
export interface DumpsOptions {
  /** Spaces per level; absent or null means one line with `, ` between items. */
  readonly indent?: number | null
  /** Escapes everything outside U+0020 to U+007E. Off unless asked for, as the reference asks for it nowhere. */
  readonly ensureAscii?: boolean
}

/**
 * The JSON text of a value, as `json.dumps(value, ensure_ascii=False)` writes it (spec §2.2): `", "` and `": "`, ints and
 * floats kept apart, map keys in insertion order, nothing escaped but quotes, backslashes and control characters.
 *
 * Raises RecursionError below 995 levels, and ValueError for an int of more than 4 300 digits. Linear.
 */
export function dumps(value: PyValue, options: DumpsOptions = {}): string {
  const quote = options.ensureAscii === true ? quoteAscii : quoteText
  const indent = options.indent ?? null
  return indent === null
    ? writeLine(value, quote, 0)
    : writeIndented(value, { quote, step: ' '.repeat(indent) }, '\n', 0)
}

type Quote = (text: string) => string

function writeLine(value: PyValue, quote: Quote, depth: number): string {
  if (typeof value === 'string') return quote(value)
  if (isList(value)) return writeList(value, quote, deeper(depth))
  if (isDict(value)) return writeDict(value, quote, deeper(depth))
  return scalarText(value)
}

function writeList(list: readonly PyValue[], quote: Quote, depth: number): string {
  let text = ''
  for (const item of list) text += (text === '' ? '[' : ', ') + writeLine(item, quote, depth)
  return text === '' ? '[]' : `${text}]`
}

function writeDict(dict: ReadonlyMap<string, PyValue>, quote: Quote, depth: number): string {
  let text = ''
  for (const [key, item] of dict) text += `${text === '' ? '{' : ', '}${quote(key)}: ${writeLine(item, quote, depth)}`
  return text === '' ? '{}' : `${text}}`
}

interface Layout {
  readonly quote: Quote
  readonly step: string
}

/** `newline` is a line feed with the indentation of the line of the value. */
function writeIndented(value: PyValue, layout: Layout, newline: string, depth: number): string {
  if (typeof value === 'string') return layout.quote(value)
  const inner = newline + layout.step
  let text = ''
  if (isList(value)) {
    const below = deeper(depth)
    for (const item of value) text += (text === '' ? '[' : ',') + inner + writeIndented(item, layout, inner, below)
    return text === '' ? '[]' : `${text}${newline}]`
  }
  if (!isDict(value)) return scalarText(value)
  const below = deeper(depth)
  for (const [key, item] of value)
    text += `${text === '' ? '{' : ','}${inner}${layout.quote(key)}: ${writeIndented(item, layout, inner, below)}`
  return text === '' ? '{}' : `${text}${newline}}`
}

function deeper(depth: number): number {
  if (depth >= MAX_DEPTH) throw tooDeep('while encoding a JSON object')
  return depth + 1
}

function scalarText(value: null | boolean | bigint | number): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'bigint') return intText(value)
  if (Number.isFinite(value)) return floatText(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? 'Infinity' : '-Infinity'
}

const BACKSLASH = 0x5c
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/
const CONTROL = /[\u0000-\u001f]/
const NEEDS_ESCAPE_ASCII = /["\\]|[^ -~]/g

const SHORT_ESCAPES: readonly (readonly [string, string])[] = [
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]

/** The escape of each unit that needs one, by its code; a table, because strings of code are full of them. */
const ESCAPES: readonly (string | undefined)[] = escapeTable()

function escapeTable(): readonly (string | undefined)[] {
  const table: (string | undefined)[] = Array.from({ length: BACKSLASH + 1 }, (_, code) =>
    code < 0x20 ? unicodeEscape(code) : undefined,
  )
  for (const [unit, escape] of SHORT_ESCAPES) table[unit.charCodeAt(0)] = escape
  return table
}

/** A text as a JSON string that escapes only what JSON must: quotes, backslashes and control characters. */
export function quoteText(text: string): string {
  if (isPlain(text)) return `"${text}"`
  let quoted = '"'
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const escape = code <= BACKSLASH ? ESCAPES[code] : undefined
    if (escape === undefined) continue
    quoted += text.slice(from, at) + escape
    from = at + 1
  }
  return `${quoted}${text.slice(from)}"`
}

function isPlain(text: string): boolean {
  if (text.length < LONG) return !NEEDS_ESCAPE.test(text)
  return !text.includes('"') && !text.includes('\\') && !CONTROL.test(text)
}

/** From this length on several searches for less are faster than one for all. */
const LONG = 64

/**
 * A text as a JSON string in ASCII alone. Without the `u` flag a regular expression sees UTF-16 units: an astral
 * character becomes two escapes, as in Python.
 */
export function quoteAscii(text: string): string {
  return `"${text.replace(NEEDS_ESCAPE_ASCII, (unit) => ESCAPES[unit.charCodeAt(0)] ?? unicodeEscape(unit.charCodeAt(0)))}"`
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
