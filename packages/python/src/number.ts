import { Raise } from './raise.ts'

/** CPython converts no longer decimal text to an int or back (`sys.get_int_max_str_digits()`). */
export const MAX_INT_DIGITS = 4300

/** The int that `digits` (decimal, with or without a sign) spells. More than 4 300 digits raise a ValueError. */
export function intOf(digits: string): bigint {
  const count = digits.startsWith('-') ? digits.length - 1 : digits.length
  if (count <= MAX_INT_DIGITS) return BigInt(digits)
  throw tooLong(`: value has ${count} digits`)
}

/** An int as decimal text. An int of more than 4 300 digits (from hexadecimal text) raises a ValueError. */
export function intText(value: bigint): string {
  if (value < FIRST_TOO_LONG && value > -FIRST_TOO_LONG) return value.toString()
  throw tooLong('')
}

/**
 * A float as Python's `repr` writes a finite one: the shortest digits that read back as the same float, positional for
 * 1e-4 <= |x| < 1e16 and always with a decimal point, otherwise `1e+16`, `1.5e-07` (spec §2.2).
 */
export function floatText(value: number): string {
  const size = Math.abs(value)
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
}

const FIRST_TOO_LONG = 10n ** BigInt(MAX_INT_DIGITS)

function tooLong(detail: string): Raise {
  return new Raise(
    'ValueError',
    `Exceeds the limit (${MAX_INT_DIGITS} digits) for integer string conversion${detail}; ` +
      'use sys.set_int_max_str_digits() to increase the limit',
  )
}
