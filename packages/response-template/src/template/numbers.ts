import { strip } from '@callspec/python'

const DECIMAL = /^\p{Nd}$/u
const INTEGER = /^[+-]?\p{Nd}+(?:_\p{Nd}+)*$/u
const FLOAT =
  /^[+-]?(?:\p{Nd}+(?:_\p{Nd}+)*\.?|(?:\p{Nd}+(?:_\p{Nd}+)*)?\.\p{Nd}+(?:_\p{Nd}+)*)(?:[eE][+-]?\p{Nd}+(?:_\p{Nd}+)*)?$/u
const NAMED_FLOAT = /^[+-]?(?:inf|infinity|nan)$/iu

/** CPython converts no longer text to an int. */
const MAX_INT_DIGITS = 4300

/** Why a text is no number: it does not spell one, or has more digits than CPython converts. */
export type NumberFault = 'not-a-number' | 'too-many-digits'

/**
 * The int that Python's `int(text)` gives: any Unicode digits, single `_` between digits, white space around.
 */
export function readInt(text: string): bigint | NumberFault {
  const stripped = strip(text)
  if (!INTEGER.test(stripped)) return 'not-a-number'
  const digits = asciiDigits(stripped).replaceAll('_', '')
  const unsigned = digits.replace(/^[+-]/, '')
  if (unsigned.length > MAX_INT_DIGITS) return 'too-many-digits'
  return digits.startsWith('-') ? -BigInt(unsigned) : BigInt(unsigned)
}

/** The float that Python's `float(text)` gives: `1_0.5e3`, `inf`, `NaN`; no hexadecimal number. */
export function readFloat(text: string): number | 'not-a-number' {
  const stripped = strip(text)
  if (NAMED_FLOAT.test(stripped)) {
    if (/nan$/iu.test(stripped)) return NaN
    return stripped.startsWith('-') ? -Infinity : Infinity
  }
  if (!FLOAT.test(stripped)) return 'not-a-number'
  return Number(asciiDigits(stripped).replaceAll('_', ''))
}

/** The text with every decimal digit as an ASCII one. */
function asciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (char) =>
    DECIMAL.test(char) ? String(digitValue(char.codePointAt(0) ?? 0)) : char,
  )
}

/** Digits of a script are ten neighbours, and so are runs of several such tens. */
function digitValue(code: number): number {
  let first = code
  while (DECIMAL.test(String.fromCodePoint(first - 1))) first--
  return (code - first) % 10
}
