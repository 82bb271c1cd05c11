import { Raise } from './errors.ts'
import { isPrintable } from './repr.ts'
import { afterDigits, afterHexDigits, isDigit, unitAt, pyIndex } from './text.ts'
import { intOf } from './value.ts'

/** Where a JSON5 text has been read to. Offsets are UTF-16. */
export interface Json5Reader {
  readonly text: string
  /** Offset of the next unit to be read. */
  at: number
  depth: number
  /** How far a look ahead has come before it failed; an error is reported there if it comes earlier. */
  furthest: number
  /** The first number that is well-formed JSON5 but that Python's int() or float() rejects. */
  badNumber: Raise | null
}

/**
 * The error of meeting something that fits nowhere at `at`.
 *
 * as in the reference: json5 is a backtracking parser that reports the furthest place where any attempt failed. Some
 * attempts look one character further than they consume (`noteFailure`), so `{,}` complains about the brace.
 */
export function unexpected(reader: Json5Reader, at: number): Raise {
  const { text } = reader
  const place = Math.max(reader.furthest, at)
  const lineStart = place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1
  let line = 1
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < place; feed = text.indexOf('\n', feed + 1)) line++
  const column = pyIndex(text, place) - pyIndex(text, lineStart) + 1
  const code = text.codePointAt(place)
  const found = code === undefined ? 'end of input' : `"${String.fromCodePoint(code)}"`
  return new Raise('ValueError', `<string>:${line} Unexpected ${found} at column ${column}`)
}

/** Remembers that an attempt failed at `at`, though reading goes on elsewhere. */
export function noteFailure(reader: Json5Reader, at: number): void {
  if (at > reader.furthest) reader.furthest = at
}

/** Moves past white space and comments. A slash that begins no comment, or an open comment, is an error. */
export function skipJson5Space(reader: Json5Reader): void {
  const { text } = reader
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (isSpace(code)) reader.at++
    else if (code === SLASH) passComment(reader)
    else return
  }
}

/** Whether the unit ends a line for JSON5. */
export function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029
}

const SLASH = 0x2f

function passComment(reader: Json5Reader): void {
  const { text, at } = reader
  const second = text[at + 1]
  if (second === '/') {
    let end = at + 2
    while (end < text.length && !isLineEnd(text.charCodeAt(end))) end++
    reader.at = end
    return
  }
  if (second !== '*') throw unexpected(reader, at + 1)
  const close = text.indexOf('*/', at + 2)
  if (close < 0) throw unexpected(reader, text.length)
  reader.at = close + 2
}

/** Unlike Python's strip, JSON5 knows U+FEFF and does not know U+0085 and U+001C to U+001F (spec §2.4). */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0xa0
  if (code >= 0x2000 && code <= 0x200a) return true
  return SPACES_ABOVE.has(code)
}

const SPACES_ABOVE: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff])

/** Reads a string; the reader is at its opening quote. Raw control characters are fine, line ends are not. */
export function readString(reader: Json5Reader): string {
  const { text } = reader
  const quote = text.charCodeAt(reader.at)
  let read = ''
  let from = reader.at + 1
  for (let at = from; ;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      reader.at = at + 1
      return read + text.slice(from, at)
    }
    if (code === BACKSLASH) {
      read += text.slice(from, at)
      reader.at = at
      read += readEscape(reader)
      at = from = reader.at
    } else if (at >= text.length || isLineEnd(code)) {
      throw unexpected(reader, at)
    } else at++
  }
}

const BACKSLASH = 0x5c

function readEscape(reader: Json5Reader): string {
  const { text } = reader
  const at = reader.at + 1
  const char = text[at]
  if (char === undefined) throw unexpected(reader, at)
  if (char === 'x') return readHexEscape(reader, 2)
  if (char === 'u') return readHexEscape(reader, 4)
  if (isLineEnd(text.charCodeAt(at))) {
    reader.at = text.startsWith('\r\n', at) ? at + 2 : at + 1
    return ''
  }
  if (char === '0' && isDigit(text.charCodeAt(at + 1))) throw unexpected(reader, at + 1)
  if (char >= '1' && char <= '9') throw unexpected(reader, at)
  reader.at = at + 1
  return ESCAPES.get(char) ?? char
}

function readHexEscape(reader: Json5Reader, count: 2 | 4): string {
  const { text } = reader
  const from = reader.at + 2
  const end = afterHexDigits(text, from, count)
  if (end < from + count) throw unexpected(reader, end)
  reader.at = end
  return count === 4 ? unitAt(text, from) : String.fromCharCode(Number.parseInt(text.slice(from, end), 16))
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['0', '\0'],
])

/** Reads a number without its sign; `sign` is what precedes it, as far as Python's int() and float() see it. */
export function readJson5Number(reader: Json5Reader, sign: '' | '-'): bigint | number {
  const { text, at } = reader
  if (!isDigit(text.charCodeAt(at)) && text[at] !== '.') throw unexpected(reader, at)
  if (text[at] === '0') {
    if (text[at + 1] === 'x' || text[at + 1] === 'X') return readHexadecimal(reader, sign)
    if (isDigit(text.charCodeAt(at + 1))) throw unexpected(reader, at + 1)
  }
  const end = afterDecimal(text, at)
  if (stepIdentifier(reader, end, 'first') !== null) throw unexpected(reader, end)
  reader.at = end
  const literal = sign + text.slice(at, end)
  return /[.eE]/.test(literal) ? convertFloat(reader, literal) : convertInt(reader, literal)
}

/** Digits, fraction, exponent. Every run of digits may be empty: what float() makes of that is seen later. */
function afterDecimal(text: string, at: number): number {
  let end = afterDigits(text, at)
  if (text[end] === '.') end = afterDigits(text, end + 1)
  if (text[end] !== 'e' && text[end] !== 'E') return end
  const signed = text[end + 1] === '+' || text[end + 1] === '-'
  return afterDigits(text, signed ? end + 2 : end + 1)
}

function readHexadecimal(reader: Json5Reader, sign: '' | '-'): bigint {
  const { text, at } = reader
  const end = afterHexDigits(text, at + 2, Infinity)
  if (end === at + 2) throw unexpected(reader, end)
  reader.at = end
  const literal = text.slice(at, end)
  if (sign === '') return BigInt(literal)
  // as in the reference: only an unsigned literal is recognised as hexadecimal when it is converted.
  return reject(reader, `invalid literal for int() with base 10: '-${literal}'`, 0n)
}

function convertInt(reader: Json5Reader, literal: string): bigint {
  try {
    return intOf(literal)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    reader.badNumber ??= error
    return 0n
  }
}

function convertFloat(reader: Json5Reader, literal: string): number {
  const value = Number(literal)
  // Every spelling that gets here and that Number does not know is one that float() does not know either.
  return Number.isNaN(value) ? reject(reader, `could not convert string to float: '${lower(literal)}'`, value) : value
}

/** as in the reference: the exponent's letter is always written `e`. */
function lower(literal: string): string {
  return literal.toLowerCase()
}

function reject<T>(reader: Json5Reader, message: string, instead: T): T {
  reader.badNumber ??= new Raise('ValueError', message)
  return instead
}

/** A character of an identifier, and the offset after it. */
export interface Step {
  readonly char: string
  readonly end: number
}

/** Reads an unquoted key whose first character has been seen to fit. */
export function readIdentifier(reader: Json5Reader): string {
  let name = ''
  let step = stepIdentifier(reader, reader.at, 'first')
  while (step !== null) {
    name += step.char
    reader.at = step.end
    step = stepIdentifier(reader, reader.at, 'later')
  }
  return name
}

/**
 * The identifier character at `at`, or null. A failed attempt at anything but an ASCII letter or digit has consumed the
 * character, so the error is reported after it; in an escape, at the unit that does not fit.
 */
export function stepIdentifier(reader: Json5Reader, at: number, place: 'first' | 'later'): Step | null {
  const { text } = reader
  const code = text.codePointAt(at)
  if (code === undefined) return null
  if (code === BACKSLASH) return stepEscape(reader, at)
  const char = String.fromCodePoint(code)
  const end = at + char.length
  if (isAsciiStart(code) || (place === 'later' && isDigit(code))) return { char, end }
  if (code > 0x7f && isLetter(char, place) && (isPrintable(code) || isJoiner(code))) {
    return { char, end }
  }
  noteFailure(reader, end)
  return null
}

/** `\u0041`. The reference does not check whether the spelled character is allowed there. */
function stepEscape(reader: Json5Reader, at: number): Step | null {
  if (reader.text[at + 1] !== 'u') {
    noteFailure(reader, at + 1)
    return null
  }
  const end = afterHexDigits(reader.text, at + 2, 4)
  if (end === at + 6) return { char: unitAt(reader.text, at + 2), end }
  noteFailure(reader, end)
  return null
}

// These classes follow the engine's Unicode; `isPrintable` takes back what Python's Unicode does not know.
// In a function, because an engine takes a millisecond to make them.
function isLetter(char: string, place: 'first' | 'later'): boolean {
  return place === 'first'
    ? /^[\p{L}\p{Nl}]$/u.test(char)
    : /^[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\u200c\u200d]$/u.test(char)
}

function isAsciiStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x24
}

/** ZWNJ and ZWJ: format characters, not printable, and yet welcome inside an identifier. */
function isJoiner(code: number): boolean {
  return code === 0x200c || code === 0x200d
}
