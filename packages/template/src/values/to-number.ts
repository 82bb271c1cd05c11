import { Raise, repr, strip } from '@callspec/python'
import { asFloat, numberOf } from './number.ts'
import { typeName } from './type-name.ts'
import { undefinedError } from './undefined.ts'
import type { Value } from './value.ts'
import { isUndefined, stringValue } from './value.ts'

/**
 * Python's `int(value)`. Raises ValueError for a text that is not an int, OverflowError for infinity, TypeError
 * otherwise.
 */
export function toInt(value: Value): bigint {
  const text = stringValue(value)
  if (text !== null) return intFromText(text, 10)
  const number = numberOf(value)
  if (typeof number === 'bigint') return number
  if (number === null) throw unsuitable('int() argument must be a string, a bytes-like object or a real number', value)
  if (Number.isNaN(number)) throw new Raise('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(number)) throw new Raise('OverflowError', 'cannot convert float infinity to integer')
  return BigInt(Math.trunc(number))
}

/** Python's `float(value)`. Raises ValueError for a text that is not a float, TypeError for other values. */
export function toFloat(value: Value): number {
  const text = stringValue(value)
  if (text !== null) return floatFromText(text)
  const number = numberOf(value)
  if (number === null) throw unsuitable('float() argument must be a string or a real number', value)
  return asFloat(number)
}

function unsuitable(message: string, value: Value): Raise {
  return isUndefined(value) ? undefinedError(value) : new Raise('TypeError', `${message}, not '${typeName(value)}'`)
}

const PREFIXES: Readonly<Record<number, RegExp>> = { 2: /^0b_?/i, 8: /^0o_?/i, 16: /^0x_?/i }

/** Python's `int(text, base)`: white space around, a sign, and single underscores between digits are allowed. */
export function intFromText(text: string, base: number): bigint {
  if (base !== 0 && (base < 2 || base > 36)) throw new Raise('ValueError', 'int() base must be >= 2 and <= 36, or 0')
  const [, sign = '', body = ''] = /^([-+]?)(.*)$/s.exec(strip(text)) ?? []
  const prefixed = [2, 8, 16].find((known) => (base === 0 || base === known) && PREFIXES[known]?.test(body) === true)
  const actual = prefixed ?? (base === 0 ? 10 : base)
  const digits = prefixed === undefined ? body : body.replace(PREFIXES[prefixed] ?? '', () => '')
  const isPlain = /^[\da-z]+(?:_[\da-z]+)*$/i.test(digits)
  const isWrongZero = base === 0 && prefixed === undefined && /^0[\d_]*[1-9]/.test(digits)
  const value = isPlain && !isWrongZero ? digitsValue(digits.replaceAll('_', ''), actual) : null
  if (value === null) {
    throw new Raise('ValueError', `invalid literal for int() with base ${base}: ${repr(text)}`)
  }
  return sign === '-' ? -value : value
}

function digitsValue(digits: string, base: number): bigint | null {
  const bits = Math.log2(base)
  if (Number.isInteger(bits)) return binaryValue(digits, bits)
  // As in Python 3.11, for these bases cost quadratic time.
  if (digits.length > 4300) throw new Raise('ValueError', 'Exceeds the limit (4300 digits)')
  if (base === 10) return /^\d+$/.test(digits) ? BigInt(digits) : null
  let value = 0n
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36)
    if (Number.isNaN(worth) || worth >= base) return null
    value = value * BigInt(base) + BigInt(worth)
  }
  return value
}

/** The value of digits of whole bits: bases 2, 4, 8, 16 and 32. */
function binaryValue(digits: string, bits: number): bigint | null {
  let text = ''
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36)
    if (Number.isNaN(worth) || worth >= 2 ** bits) return null
    text += worth.toString(2).padStart(bits, '0')
  }
  return text === '' ? null : BigInt(`0b${text}`)
}

const FLOAT = /^[-+]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[-+]?\d(?:_?\d)*)?$/i
const NAMED = /^([-+]?)(?:(inf|infinity)|nan)$/i

function floatFromText(text: string): number {
  const bare = strip(text)
  if (FLOAT.test(bare)) return Number(bare.replaceAll('_', ''))
  const named = NAMED.exec(bare)
  if (named === null) throw new Raise('ValueError', `could not convert string to float: ${repr(text)}`)
  if (named[2] === undefined) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}
