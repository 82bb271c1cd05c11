import { floatText, MAX_INT_DIGITS } from './number.ts'

/** What a call body says, without a value having been built for its arguments. */
export interface CanonicalCall {
  readonly name: string
  /** What `dumps` would write for the member `arguments`. */
  readonly argumentsText: string
}

/**
 * The name and the arguments of a call body such as `{"name": "f", "arguments": {"a": 1}}`, if it can be proven that
 * `dumps(loadsJson5(body).get('arguments'))` is a piece of the body itself; otherwise null, and the long way is taken.
 *
 * The proof: a walk over the tokens finds nothing but Python's own spelling (`", "`, `": "`, numbers and escapes as
 * `dumps` writes them), and `JSON.parse` accepts the whole and keeps every member. So this is also the one place where
 * `JSON.parse` may be used on model text. Law: never a different answer than the long way. Linear.
 */
export function readCanonicalCall(body: string): CanonicalCall | null {
  const walk: Walk = { text: body, members: 0, backslash: -1, argumentsAt: -1, argumentsEnd: -1 }
  if (body.charCodeAt(0) !== OPEN_BRACE || dictEnd(walk, 0, 0) !== body.length || walk.argumentsAt < 0) return null
  // Strings of JSON may hold these raw, strings of JSON5 may not.
  if (body.includes('\u2028') || body.includes('\u2029')) return null
  const call = parseNatively(body)
  if (call === null || typeof call.name !== 'string' || membersIn(call) !== walk.members) return null
  return { name: call.name, argumentsText: body.slice(walk.argumentsAt, walk.argumentsEnd) }
}

interface Walk {
  readonly text: string
  /** Members seen in all maps. */
  members: number
  /** The first backslash at or after the place that was asked for last. */
  backslash: number
  argumentsAt: number
  argumentsEnd: number
}

interface ParsedCall {
  readonly name?: unknown
}

/** What the walk does not prove is left to the engine: no raw control characters, no stray text in a number or word. */
function parseNatively(body: string): ParsedCall | null {
  try {
    return JSON.parse(body) as ParsedCall
  } catch {
    return null
  }
}

/** A key that occurs twice leaves one member less than the walk has seen, whatever it held. */
function membersIn(value: object): number {
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[])
      if (typeof item === 'object' && item !== null) members += membersIn(item)
    return members
  }
  for (const key in value) {
    members++
    const item = (value as { readonly [key: string]: unknown })[key]
    if (typeof item === 'object' && item !== null) members += membersIn(item)
  }
  return members
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
    case LOWER_N:
      return at + 4
    case LOWER_F:
      return at + 5
    default:
      return numberEnd(walk.text, at)
  }
}

function dictEnd(walk: Walk, at: number, depth: number): number {
  const { text } = walk
  let key = at + 1
  if (text.charCodeAt(key) === CLOSE_BRACE) return key + 1
  if (depth >= MAX_PROVEN_DEPTH) return -1
  for (;;) {
    if (text.charCodeAt(key) !== QUOTE) return -1
    const colon = stringEnd(walk, key)
    if (text.charCodeAt(colon) !== COLON || text.charCodeAt(colon + 1) !== SPACE) return -1
    const end = valueEnd(walk, colon + 2, depth + 1)
    if (depth === 0 && text.startsWith(ARGUMENTS_KEY, key)) {
      walk.argumentsAt = colon + 2
      walk.argumentsEnd = end
    }
    walk.members++
    const code = text.charCodeAt(end)
    if (code === CLOSE_BRACE) return end + 1
    if (code !== COMMA || text.charCodeAt(end + 1) !== SPACE) return -1
    key = end + 2
  }
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

/** Short strings are read unit by unit; what goes on is left to `indexOf`, which is faster by far once it runs. */
function stringEnd(walk: Walk, open: number): number {
  const { text } = walk
  const near = open + SHORT_STRING
  for (let at = open + 1; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) return longStringEnd(walk, at)
  }
  return longStringEnd(walk, near)
}

function longStringEnd(walk: Walk, from: number): number {
  const { text } = walk
  let at = from
  for (;;) {
    const close = text.indexOf('"', at)
    if (close < 0) return -1
    if (walk.backslash < at) {
      const next = text.indexOf('\\', at)
      walk.backslash = next < 0 ? text.length : next
    }
    if (close < walk.backslash) return close + 1
    at = escapeEnd(text, walk.backslash)
    if (at < 0) return -1
  }
}

/** The offset after an escape as `dumps` writes it. A tab is always `\t`, never `\u0009`; letters are lower case. */
function escapeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at + 1)
  if (code !== LOWER_U) return SHORT_ESCAPES.includes(text.charAt(at + 1)) ? at + 2 : -1
  return /^00(?:0[0-7be-f]|1[0-9a-f])$/.test(text.slice(at + 2, at + 6)) ? at + 6 : -1
}

function numberEnd(text: string, at: number): number {
  let end = at
  let isFloat = false
  for (let code = text.charCodeAt(end); isNumberPart(code); code = text.charCodeAt(++end)) {
    isFloat ||= code === POINT || code === LOWER_E
  }
  if (end === at) return -1
  if (isFloat) return floatText(Number(text.slice(at, end))) === text.slice(at, end) ? end : -1
  return end - at > MAX_INT_DIGITS || text.startsWith('-0', at) ? -1 : end
}

/** Digits, `+`, `-`, `.` and `e`. `E` is no part: `dumps` never writes it. */
function isNumberPart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === POINT || code === LOWER_E || code === 0x2b
}

/** Nesting beyond this is left to the long way, which counts levels exactly. */
const MAX_PROVEN_DEPTH = 100
/** From this many units on, two calls of `indexOf` cost less than a look at each unit. */
const SHORT_STRING = 24
const ARGUMENTS_KEY = '"arguments":'
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
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75
