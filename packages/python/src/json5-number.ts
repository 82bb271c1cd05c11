import { Raise } from './raise.ts'
import { stepIdentifier } from './json5-identifier.ts'
import type { Reader } from './json5-reader.ts'
import { unexpected } from './json5-reader.ts'
import { intOf } from './number.ts'
import { afterDigits, afterHexDigits, isDigit } from './scan.ts'

/** Reads a number without its sign; `sign` is what stood before it, as far as Python's int() and float() see it. */
export function readNumber(reader: Reader, sign: '' | '-'): bigint | number {
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

function readHexadecimal(reader: Reader, sign: '' | '-'): bigint {
  const { text, at } = reader
  const end = afterHexDigits(text, at + 2, Infinity)
  if (end === at + 2) throw unexpected(reader, end)
  reader.at = end
  const literal = text.slice(at, end)
  if (sign === '') return BigInt(literal)
  // as in the reference: only an unsigned literal is recognised as hexadecimal when it is converted.
  return reject(reader, `invalid literal for int() with base 10: '-${literal}'`, 0n)
}

function convertInt(reader: Reader, literal: string): bigint {
  try {
    return intOf(literal)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    reader.badNumber ??= error
    return 0n
  }
}

function convertFloat(reader: Reader, literal: string): number {
  const value = Number(literal)
  // Every spelling that gets here and that Number does not know is one that float() does not know either.
  return Number.isNaN(value) ? reject(reader, `could not convert string to float: '${lower(literal)}'`, value) : value
}

/** as in the reference: the exponent's letter is an `e` whatever the text has. */
function lower(literal: string): string {
  return literal.toLowerCase()
}

function reject<T>(reader: Reader, message: string, instead: T): T {
  reader.badNumber ??= new Raise('ValueError', message)
  return instead
}
