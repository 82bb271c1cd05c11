import { floatText, MAX_INT_DIGITS } from './number.ts'
import { afterDigits } from './scan.ts'

/** What a call body says, without a value having been built for its arguments. */
export interface CanonicalCall {
  readonly name: string
  /** What `dumps` would write for the member `arguments`. */
  readonly argumentsText: string
  /** How many members the body has; others than the two are passed over. */
  readonly size: number
}

/**
 * The name and the arguments of a call body such as `{"name": "f", "arguments": {"a": 1}}`, if it can be proven that
 * `dumps(loadsJson5(body).get('arguments'))` is a piece of the body itself; otherwise null, and the long way is taken.
 *
 * The proof is a walk over the tokens that finds nothing but Python's own spelling: `", "`, `": "`, numbers and escapes as
 * `dumps` writes them, no key twice in a map. Law: never a different answer than the long way. Linear.
 */
export function readCanonicalCall(body: string): CanonicalCall | null {
  if (body.charCodeAt(0) !== OPEN_BRACE) return null
  const walk: Walk = { text: body, size: 0, backslash: -1, name: null, argumentsText: null }
  if (dictEnd(walk, 0, 0) !== body.length) return null
  const { name, argumentsText, size } = walk
  if (name === null || argumentsText === null) return null
  // Strings of JSON may hold these raw, strings of JSON5 may not.
  return body.includes('\u2028') || body.includes('\u2029') ? null : { name, argumentsText, size }
}

/**
 * Whether it can be proven that `dumps(loadsJson5(text))` is the text itself, with the same walk. False proves nothing.
 */
export function isCanonical(text: string): boolean {
  const walk: Walk = { text, size: 0, backslash: -1, name: null, argumentsText: null }
  return valueEnd(walk, 0, 1) === text.length && !text.includes('\u2028') && !text.includes('\u2029')
}

interface Walk {
  readonly text: string
  /** The first backslash at or after the place that was asked for last. */
  backslash: number
  /** Members of the outermost map. */
  size: number
  name: string | null
  argumentsText: string | null
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
  let open = at + 1
  if (text.charCodeAt(open) === CLOSE_BRACE) return open + 1
  if (depth >= MAX_PROVEN_DEPTH) return -1
  const keys: string[] = []
  for (;;) {
    if (text.charCodeAt(open) !== QUOTE) return -1
    const colon = stringEnd(walk, open)
    if (text.charCodeAt(colon) !== COLON || text.charCodeAt(colon + 1) !== SPACE) return -1
    const key = text.slice(open, colon)
    if (isAmong(keys, key)) return -1
    const end = valueEnd(walk, colon + 2, depth + 1)
    if (depth === 0) noteOuterMember(walk, key, { start: colon + 2, end })
    const code = text.charCodeAt(end)
    if (code === CLOSE_BRACE) return end + 1
    if (code !== COMMA || text.charCodeAt(end + 1) !== SPACE) return -1
    keys.push(key)
    open = end + 2
  }
}

/** Canonical spelling is one to one, so equal keys have equal spellings. Many keys are not worth a second structure. */
function isAmong(keys: readonly string[], key: string): boolean {
  return keys.length > MAX_PROVEN_KEYS || keys.includes(key)
}

function noteOuterMember(
  walk: Walk,
  key: string,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  walk.size++
  if (key === '"arguments"') walk.argumentsText = walk.text.slice(start, end)
  if (key !== '"name"' || walk.text.charCodeAt(start) !== QUOTE) return
  const name = walk.text.slice(start + 1, end - 1)
  if (!name.includes('\\')) walk.name = name
}

function listEnd(walk: Walk, at: number, depth: number): number {
  const { text } = walk
  let item = at + 1
  if (text.charCodeAt(item) === CLOSE_BRACKET) return item + 1
  if (depth >= MAX_PROVEN_DEPTH) return -1
  for (;;) {
    const end = valueEnd(walk, item, depth + 1)
    const code = text.charCodeAt(end)
    if (code === CLOSE_BRACKET) return end + 1
    if (code !== COMMA || text.charCodeAt(end + 1) !== SPACE) return -1
    item = end + 2
  }
}

/** Short strings are read unit by unit; long ones are left to the engine, which is faster by far once it runs. */
function stringEnd(walk: Walk, open: number): number {
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
function closingQuote(walk: Walk, from: number): number {
  const { text } = walk
  let at = from
  for (;;) {
    const close = text.indexOf('"', at)
    if (close < 0) return -1
    if (walk.backslash < at) {
      const next = text.indexOf('\\', at)
      walk.backslash = next < 0 ? text.length : next
    }
    if (close < walk.backslash) return close
    at = escapeEnd(text, walk.backslash)
    if (at < 0) return -1
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

function numberEnd(text: string, at: number): number {
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

/** Nesting beyond this is left to the long way, which counts levels exactly. */
const MAX_PROVEN_DEPTH = 100
/** Comparing each key with all before it is quadratic, so there is an end to it. */
const MAX_PROVEN_KEYS = 64
/** From this many units on, asking the engine costs less than a look at each unit. */
const SHORT_STRING = 48
const SHORT_ESCAPES = '"\\bfnrt'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
const SPACE = 0x20
const POINT = 0x2e
const MINUS = 0x2d
const ZERO = 0x30
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75
