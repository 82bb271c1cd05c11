import { MAX_DEPTH, Raise, tooDeep } from './errors.ts'
import { afterDigits, afterHexDigits, afterSpace, isDigit, unitAt, pyIndex } from './text.ts'
import { intOf } from './value.ts'
import type { PyDict, PyList, PyValue } from './value.ts'

/**
 * The value of a JSON text, as Python's `json.loads` reads it (spec §2.3): strict JSON plus `NaN` and `±Infinity`.
 *
 * Raises JSONDecodeError with CPython's text (`Expecting value: line 1 column 1 (char 0)`), RecursionError below 995
 * levels, ValueError for an int of more than 4 300 digits. Linear.
 */
export function loads(text: string): PyValue {
  if (text.startsWith('\ufeff')) throw decodeError('Unexpected UTF-8 BOM (decode using utf-8-sig)', text, 0)
  const reader: JsonReader = { text, at: 0, depth: 0 }
  skipJsonSpace(reader)
  const value = readValue(reader)
  skipJsonSpace(reader)
  if (reader.at < text.length) throw decodeError('Extra data', text, reader.at)
  return value
}

interface JsonReader {
  readonly text: string
  /** Offset of the next unit to be read. */
  at: number
  depth: number
}

function readValue(reader: JsonReader): PyValue {
  const { text, at } = reader
  const first = text[at]
  switch (first) {
    case '"':
      return readString(reader)
    case '{':
      return readDict(reader)
    case '[':
      return readList(reader)
    case 'n':
    case 't':
    case 'f':
    case 'N':
    case 'I':
      return readWord(reader, JSON_WORDS[first])
    default:
      if (text.startsWith('-I', at)) return readWord(reader, ['-Infinity', Number.NEGATIVE_INFINITY])
      return readNumber(reader)
  }
}

function readWord(reader: JsonReader, [word, value]: JsonWord): PyValue {
  if (!reader.text.startsWith(word, reader.at)) throw decodeError('Expecting value', reader.text, reader.at)
  reader.at += word.length
  return value
}

/** A fraction or exponent without digits is not part of the number: `1.` is the int 1, followed by extra data. */
function readNumber(reader: JsonReader): bigint | number {
  const { text, at } = reader
  const first = text[at] === '-' ? at + 1 : at
  if (!isDigit(text.charCodeAt(first))) throw decodeError('Expecting value', text, at)
  const afterInt = text[first] === '0' ? first + 1 : afterDigits(text, first)
  let end = afterInt
  if (text[end] === '.' && isDigit(text.charCodeAt(end + 1))) end = afterDigits(text, end + 1)
  if (text[end] === 'e' || text[end] === 'E') {
    const digits = text[end + 1] === '+' || text[end + 1] === '-' ? end + 2 : end + 1
    if (isDigit(text.charCodeAt(digits))) end = afterDigits(text, digits)
  }
  reader.at = end
  const literal = text.slice(at, end)
  return end === afterInt ? intOf(literal) : Number(literal)
}

function readList(reader: JsonReader): PyList {
  const { text } = reader
  const list: PyValue[] = []
  enter(reader, 'array')
  if (text[reader.at] !== ']') {
    for (;;) {
      list.push(readValue(reader))
      skipJsonSpace(reader)
      if (text[reader.at] === ']') break
      if (text[reader.at] !== ',') throw decodeError("Expecting ',' delimiter", text, reader.at)
      reader.at++
      skipJsonSpace(reader)
    }
  }
  leave(reader)
  return list
}

function readDict(reader: JsonReader): PyDict {
  const { text } = reader
  const dict = new Map<string, PyValue>()
  enter(reader, 'object')
  if (text[reader.at] !== '}') {
    for (;;) {
      readMember(reader, dict)
      skipJsonSpace(reader)
      if (text[reader.at] === '}') break
      if (text[reader.at] !== ',') throw decodeError("Expecting ',' delimiter", text, reader.at)
      reader.at++
      skipJsonSpace(reader)
    }
  }
  leave(reader)
  return dict
}

function readMember(reader: JsonReader, dict: Map<string, PyValue>): void {
  const { text } = reader
  if (text[reader.at] !== '"') throw decodeError('Expecting property name enclosed in double quotes', text, reader.at)
  const key = readString(reader)
  skipJsonSpace(reader)
  if (text[reader.at] !== ':') throw decodeError("Expecting ':' delimiter", text, reader.at)
  reader.at++
  skipJsonSpace(reader)
  // A key that came before keeps its place and gets the new value, in a Map as in a dict.
  dict.set(key, readValue(reader))
}

function enter(reader: JsonReader, what: 'array' | 'object'): void {
  if (reader.depth >= MAX_DEPTH) throw tooDeep(`while decoding a JSON ${what} from a unicode string`)
  reader.depth++
  reader.at++
  skipJsonSpace(reader)
}

function leave(reader: JsonReader): void {
  reader.depth--
  reader.at++
}

function readString(reader: JsonReader): string {
  const { text, at: open } = reader
  PLAIN.lastIndex = open + 1
  PLAIN.test(text)
  const end = PLAIN.lastIndex
  if (text.charCodeAt(end) === QUOTE) {
    reader.at = end + 1
    return text.slice(open + 1, end)
  }
  return readEscaped(reader) ?? readStringSlowly(reader)
}

/** What a string has that is neither its end nor an escape, nor an error. */
const PLAIN = /[^"\\\u0000-\u001f]*/y

/** A string with escapes, which `JSON.parse` reads as Python does; null for one that is malformed. */
function readEscaped(reader: JsonReader): string | null {
  const { text, at: open } = reader
  let quote = text.indexOf('"', open + 1)
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  if (quote < 0) return null
  try {
    const value: unknown = JSON.parse(text.slice(open, quote + 1))
    reader.at = quote + 1
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text.charCodeAt(from - 1) === BACKSLASH) from--
  return (at - from) % 2 === 1
}

/** Character by character, for what is wrong with it. */
function readStringSlowly(reader: JsonReader): string {
  const { text, at: open } = reader
  let read = ''
  let from = open + 1
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      reader.at = at + 1
      return read + text.slice(from, at)
    }
    if (code === BACKSLASH) {
      read += text.slice(from, at) + escapeAt(text, at, open)
      from = at + (text[at + 1] === 'u' ? 6 : 2)
      at = from - 1
    } else if (!(code >= 0x20)) {
      if (at >= text.length) throw decodeError('Unterminated string starting at', text, open)
      throw decodeError('Invalid control character at', text, at)
    }
  }
}

function escapeAt(text: string, at: number, open: number): string {
  const letter = text[at + 1]
  if (letter === undefined) throw decodeError('Unterminated string starting at', text, open)
  if (letter !== 'u') {
    const meaning = ESCAPES.get(letter)
    if (meaning === undefined) throw decodeError('Invalid \\escape', text, at)
    return meaning
  }
  // as in the reference: scanstring also asks for one more character, so an escape at the very end is "invalid".
  const end = at + 6
  if (end >= text.length || afterHexDigits(text, at + 2, 4) !== end) {
    throw decodeError('Invalid \\uXXXX escape', text, at + 1)
  }
  return unitAt(text, at + 2)
}

function skipJsonSpace(reader: JsonReader): void {
  reader.at = afterSpace(reader.text, reader.at)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Line, column and character count code points; only U+000A ends a line. */
function decodeError(problem: string, text: string, at: number): Raise {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let feed = before.indexOf('\n'); feed >= 0; feed = before.indexOf('\n', feed + 1)) line++
  const char = pyIndex(text, at)
  const column = char - pyIndex(text, lineStart) + 1
  return new Raise('JSONDecodeError', `${problem}: line ${line} column ${column} (char ${char})`)
}

/** A word of JSON as Python reads it, and its value. */
export type JsonWord = readonly [word: string, value: null | boolean | number]

/** The words by the character that they begin with. */
export const JSON_WORDS: Readonly<Record<'n' | 't' | 'f' | 'N' | 'I', JsonWord>> = {
  n: ['null', null],
  t: ['true', true],
  f: ['false', false],
  N: ['NaN', Number.NaN],
  I: ['Infinity', Number.POSITIVE_INFINITY],
}
