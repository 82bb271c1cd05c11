import { Raise } from './raise.ts'
import { invalidSyntax } from './literal-error.ts'
import type { PyLiteral } from './literal-value.ts'
import { intOf } from './number.ts'

/**
 * The number that begins at `at` in Python source: ints in four bases with `_` between digits, floats, and imaginary
 * numbers. Raises SyntaxError for a malformed one, and for a decimal int of more than 4 300 digits. Linear.
 */
export function readLiteralNumber(source: string, at: number): { readonly value: PyLiteral; readonly end: number } {
  const end = numberEnd(source, at)
  const literal = source.slice(at, end).replaceAll('_', '')
  if (BASED.has(literal.slice(0, 2).toLowerCase())) return { value: BigInt(literal.toLowerCase()), end }
  if (/[jJ]$/.test(literal))
    return { value: { kind: 'complex', real: 0, imaginary: Number(literal.slice(0, -1)) }, end }
  if (/[.eE]/.test(literal)) return { value: Number(literal), end }
  return { value: decimalInt(literal), end }
}

/** Where the number that begins at `at` ends. Raises SyntaxError for a malformed one. Linear. */
export function numberEnd(source: string, at: number): number {
  const based = BASED.get(source.slice(at, at + 2).toLowerCase())
  const end = based === undefined ? decimalEnd(source, at) : afterGroups(source, at + 1, based)
  if (WORD.test(source.charAt(end)) && !startsKeyword(source, end)) throw invalidSyntax(source, at, 'invalid number')
  if (based !== undefined && end < at + 3) throw invalidSyntax(source, at, 'invalid number')
  if (based === undefined && /^0[0_]*[1-9][0-9_]*$/.test(source.slice(at, end)))
    throw invalidSyntax(source, at, 'leading zeros in a decimal integer')
  return end
}

/** as in the reference: `1if x else 2` is well-formed, if deprecated. */
function startsKeyword(source: string, at: number): boolean {
  KEYWORD.lastIndex = at
  return KEYWORD.test(source)
}

/** Digits, then perhaps a fraction, an exponent and `j`. */
function decimalEnd(source: string, at: number): number {
  let end = afterDigitGroups(source, at)
  if (source[end] === '.') end = afterDigitGroups(source, end + 1)
  if (/[eE]/.test(source.charAt(end))) {
    const sign = /[+-]/.test(source.charAt(end + 1)) ? end + 2 : end + 1
    const exponent = afterDigitGroups(source, sign)
    // Without digits the letter stays, and is then found to be no part of a number.
    if (exponent > sign) end = exponent
  }
  return /[jJ]/.test(source.charAt(end)) ? end + 1 : end
}

/** `1_000`: a group of digits, then any number of groups with one `_` before each. */
function afterDigitGroups(source: string, at: number): number {
  return groupsEnd(source, at, DECIMAL)
}

/** As `afterDigitGroups`, but with a `_` allowed in front, and digits of another base. `at` is the base's letter. */
function afterGroups(source: string, at: number, digits: RegExp): number {
  const first = source[at + 1] === '_' ? at + 2 : at + 1
  return groupsEnd(source, first, digits)
}

function groupsEnd(source: string, at: number, digits: RegExp): number {
  let end = at
  for (;;) {
    if (digits.test(source.charAt(end))) end++
    else if (end > at && source[end] === '_' && digits.test(source.charAt(end + 1))) end++
    else return end
  }
}

function decimalInt(literal: string): bigint {
  try {
    return intOf(literal)
  } catch (error) {
    // Inside of source the same limit is a SyntaxError.
    if (error instanceof Raise) throw new Raise('SyntaxError', error.message)
    throw error
  }
}

const KEYWORD = /and|else|for|if|in|is|not|or/y
const DECIMAL = /[0-9]/
const BASED: ReadonlyMap<string, RegExp> = new Map([
  ['0x', /[0-9a-fA-F]/],
  ['0o', /[0-7]/],
  ['0b', /[01]/],
])
/** A letter, digit or `_` right behind a number is an error. */
const WORD = /[\p{XID_Continue}]/u
