import { afterDigits, isJsonSpace } from './text.ts'
import { MAX_INT_DIGITS, floatText } from './value.ts'

/** What a call body says, without a value having been built for its arguments. */
export interface RespelledCall {
  readonly name: string
  /** What `dumps` would write for the member `arguments`. */
  readonly argumentsText: string
  /** Whether they are a map. Asking the text would have the engine join its pieces. */
  readonly isObject: boolean
  /** How many members the body has; others than the two are passed over. */
  readonly size: number
}

/**
 * The name and the arguments of a call body such as `{"name": "f", "arguments": {"a": 1}}`, if it can be proven that
 * `dumps(loadsJson5(body).get('arguments'))` is a piece of the body with at most its spacing changed; otherwise null, and
 * the long way is taken.
 *
 * The proof is a walk over the tokens that finds nothing but Python's own spelling: numbers and escapes as `dumps` writes
 * them, double quotes, no comma too many, no key twice in a map. Where the spacing is Python's too, nothing is copied.
 * Law: never a different answer than the long way. Linear.
 */
export function respellCall(body: string): RespelledCall | null {
  if (body.charCodeAt(0) !== OPEN_BRACE) return null
  const walk = startWalk(body)
  if (dictEnd(walk, 0, 0) !== body.length) return null
  const { name, argumentsText, isObject, size } = walk
  if (name === null || argumentsText === null || hasLineSeparator(body)) return null
  return { name, argumentsText, isObject, size }
}

/** `dumps(loadsJson5(text))`, if the same walk can prove what it is; otherwise null. */
export function respell(text: string): string | null {
  const walk = startWalk(text)
  return valueEnd(walk, 0, 1) === text.length && !hasLineSeparator(text) ? respelled(walk, text.length) : null
}

interface Walk extends StringScan {
  /** The text from `from` on is still to be copied after `copied`. */
  copied: string
  from: number
  /** Members of the outermost map. */
  size: number
  name: string | null
  argumentsText: string | null
  isObject: boolean
}

function startWalk(text: string): Walk {
  return { text, copied: '', from: 0, backslash: -1, size: 0, name: null, argumentsText: null, isObject: false }
}

/** Strings of JSON may hold these raw, strings of JSON5 may not. */
function hasLineSeparator(text: string): boolean {
  return text.includes('\u2028') || text.includes('\u2029')
}

function respelled({ text, copied, from }: Walk, end: number): string {
  return copied + text.slice(from, end)
}

/*
 * Each of the following gives the offset after a value that begins at `at`, or -1 when its spelling is not Python's.
 * An offset of -1 leads to -1 again: no text has a character there.
 */

function valueEnd(walk: Walk, at: number, depth: number): number {
  switch (walk.text.charCodeAt(at)) {
    case QUOTE:
      return stringEnd(walk, at)
    case OPEN_BRACE:
      return dictEnd(walk, at, depth)
    case OPEN_BRACKET:
      return listEnd(walk, at, depth)
    case LOWER_T:
      return walk.text.startsWith('true', at) ? at + 4 : -1
    case LOWER_N:
      return walk.text.startsWith('null', at) ? at + 4 : -1
    case LOWER_F:
      return walk.text.startsWith('false', at) ? at + 5 : -1
    default:
      return numberEnd(walk.text, at)
  }
}

function dictEnd(walk: Walk, at: number, depth: number): number {
  const { text } = walk
  let open = withoutSpace(walk, at + 1)
  if (text.charCodeAt(open) === CLOSE_BRACE) return open + 1
  if (depth >= MAX_PROVEN_DEPTH) return -1
  const keys: string[] = []
  for (;;) {
    if (text.charCodeAt(open) !== QUOTE) return -1
    const keyEnd = stringEnd(walk, open)
    const key = text.slice(open, keyEnd)
    const colon = withoutSpace(walk, keyEnd)
    if (text.charCodeAt(colon) !== COLON || isAmong(keys, key)) return -1
    const start = withOneSpace(walk, colon + 1)
    const end = depth === 0 ? outerMemberEnd(walk, key, start) : valueEnd(walk, start, depth + 1)
    const next = withoutSpace(walk, end)
    const code = text.charCodeAt(next)
    if (code === CLOSE_BRACE) return next + 1
    if (code !== COMMA) return -1
    keys.push(key)
    open = withOneSpace(walk, next + 1)
  }
}

/** Canonical spelling is one to one, so equal keys have equal spellings. Many keys are not worth a second structure. */
function isAmong(keys: readonly string[], key: string): boolean {
  return keys.length > MAX_PROVEN_KEYS || keys.includes(key)
}

function outerMemberEnd(walk: Walk, key: string, start: number): number {
  walk.size++
  walk.copied = ''
  walk.from = start
  const end = valueEnd(walk, start, 1)
  const first = walk.text.charCodeAt(start)
  if (key === '"arguments"') {
    walk.argumentsText = respelled(walk, end)
    walk.isObject = first === OPEN_BRACE
  }
  if (key !== '"name"' || first !== QUOTE) return end
  const name = walk.text.slice(start + 1, end - 1)
  if (!name.includes('\\')) walk.name = name
  return end
}

function listEnd(walk: Walk, at: number, depth: number): number {
  const { text } = walk
  let item = withoutSpace(walk, at + 1)
  if (text.charCodeAt(item) === CLOSE_BRACKET) return item + 1
  if (depth >= MAX_PROVEN_DEPTH) return -1
  for (;;) {
    const next = withoutSpace(walk, valueEnd(walk, item, depth + 1))
    const code = text.charCodeAt(next)
    if (code === CLOSE_BRACKET) return next + 1
    if (code !== COMMA) return -1
    item = withOneSpace(walk, next + 1)
  }
}

/** The offset of the token at or after `at`; white space before it is left out of the copy. */
function withoutSpace(walk: Walk, at: number): number {
  return walk.text.charCodeAt(at) <= SPACE ? copyWithoutSpace(walk, at, '') : at
}

/** The offset of the token at or after `at`; in the copy, one space precedes it. */
function withOneSpace(walk: Walk, at: number): number {
  const isSpaced = walk.text.charCodeAt(at) === SPACE && walk.text.charCodeAt(at + 1) > SPACE
  return isSpaced ? at + 1 : copyWithoutSpace(walk, at, ' ')
}

function copyWithoutSpace(walk: Walk, at: number, instead: '' | ' '): number {
  const { text } = walk
  let next = at
  while (isJsonSpace(text.charCodeAt(next))) next++
  walk.copied += text.slice(walk.from, at) + instead
  walk.from = next
  return next
}

/** Nesting beyond this is left to the long way, which counts levels exactly. */
const MAX_PROVEN_DEPTH = 100
/** Comparing each key with all before it is quadratic, so there is an end to it. */
const MAX_PROVEN_KEYS = 64

const QUOTE = 0x22
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
const SPACE = 0x20
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74

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

/** The first quote without a backslash before it, or -1; every escape on the way is one of Python's. */
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
    // Only a quote that was escaped itself is searched again: for every escape, that would be quadratic.
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

/** The rest of the number; it counts if Python writes the value in the same way. */
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

const BACKSLASH = 0x5c
const POINT = 0x2e
const MINUS = 0x2d
const ZERO = 0x30
const LOWER_E = 0x65
const LOWER_U = 0x75
