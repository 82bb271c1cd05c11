import { floatText, MAX_INT_DIGITS } from './number.ts'
import { afterDigits } from './scan.ts'

/*
 * Each of the exported functions gives the offset after a token that begins at `at`, or -1 when its spelling is not the
 * one that `dumps` gives it. Both are linear over a whole text.
 */

/** A text that is looked through from front to back. */
export interface StringScan {
  readonly text: string
  /** The first backslash at or after the place that was asked for last; -1 before the first question. */
  backslash: number
}

/** Short strings are read unit by unit; long ones are left to the engine, which is faster by far once it runs. */
export function stringEnd(walk: StringScan, open: number): number {
  const { text } = walk
  const near = open + SHORT_STRING
  for (let at = open + 1; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) break
    if (code < SPACE) return -1
  }
  const end = closingQuote(walk, open + 1) + 1
  return end > 0 && isString(text.slice(open, end)) ? end : -1
}

/** The first quote that no backslash stands before, or -1; every escape on the way is one of Python's. */
function closingQuote(walk: StringScan, from: number): number {
  const { text } = walk
  let at = from
  let close = text.indexOf('"', at)
  for (;;) {
    if (close < 0) return -1
    if (walk.backslash < at) {
      const next = text.indexOf('\\', at)
      walk.backslash = next < 0 ? text.length : next
    }
    if (close < walk.backslash) return close
    at = escapeEnd(text, walk.backslash)
    if (at < 0) return -1
    // Only a quote that was escaped itself is looked for anew: for every escape, that would be quadratic.
    if (close < at) close = text.indexOf('"', at)
  }
}

/** The engine looks for raw control characters many times faster than a loop; this is all that `JSON.parse` is for. */
function isString(literal: string): boolean {
  try {
    JSON.parse(literal)
    return true
  } catch {
    return false
  }
}

/** The offset after an escape as `dumps` writes it. A tab is always `\t`, never `\u0009`; letters are lower case. */
function escapeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at + 1)
  if (code !== LOWER_U) return SHORT_ESCAPES.includes(text.charAt(at + 1)) ? at + 2 : -1
  return /^00(?:0[0-7be-f]|1[0-9a-f])$/.test(text.slice(at + 2, at + 6)) ? at + 6 : -1
}

/** The offset after an int or float. */
export function numberEnd(text: string, at: number): number {
  const first = text.charCodeAt(at) === MINUS ? at + 1 : at
  const end = afterDigits(text, first)
  const code = text.charCodeAt(end)
  if (code === POINT || code === LOWER_E) return floatEnd(text, at)
  if (text.charCodeAt(first) !== ZERO) return end > first && end - first <= MAX_INT_DIGITS ? end : -1
  // `-0` is the int 0, and further digits are an error.
  return first === at && end === at + 1 ? end : -1
}

/** Whatever follows of the number; it counts when it is what Python writes for its own value. */
function floatEnd(text: string, at: number): number {
  let end = at
  while (isFloatPart(text.charCodeAt(end))) end++
  const literal = text.slice(at, end)
  return floatText(Number(literal)) === literal ? end : -1
}

/** Digits, `+`, `-`, `.` and `e`. `E` is no part: `dumps` never writes it. */
function isFloatPart(code: number): boolean {
  return (code >= ZERO && code <= 0x39) || code === MINUS || code === POINT || code === LOWER_E || code === 0x2b
}

/** From this many units on, asking the engine costs less than a look at each unit. */
const SHORT_STRING = 48
const SHORT_ESCAPES = '"\\bfnrt'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const POINT = 0x2e
const MINUS = 0x2d
const ZERO = 0x30
const LOWER_E = 0x65
const LOWER_U = 0x75
