import { afterDigits, afterSpace, dumps, isDigit } from '@callspec/python'
import type { BodyCall, FoundBody, ReadCalls } from './grammar.ts'

/**
 * A place in a text that may be JSON by RFC 8259. No value is built: that would take longer than reading the short arguments
 * of most calls. The functions below move the place past what they read, or to where it is not JSON.
 */
export interface JsonScan {
  readonly text: string
  at: number
  /** Whether long strings were skipped: `JSON.parse` looks into them faster. */
  hasUnseen: boolean
}

/**
 * Passes a value, of any depth. Linear.
 *
 *   > {"a": [1, 2]} and more
 *     ^            ^          from here to there
 */
export function passValue(scan: JsonScan): boolean {
  const { text } = scan
  // What closes the innermost open bracket, 0 for none; and what closes those around it, which few values have.
  let close = 0
  let outer: number[] | null = null
  for (;;) {
    const unit = text.charCodeAt(scan.at)
    const inner = unit === OPEN_BRACE ? CLOSE_BRACE : unit === OPEN_BRACKET ? CLOSE_BRACKET : 0
    if (inner === 0) {
      if (!passPlain(scan, unit)) return false
    } else {
      scan.at = afterSpace(text, scan.at + 1)
      if (text.charCodeAt(scan.at) !== inner) {
        if (close !== 0) (outer ??= []).push(close)
        close = inner
        if (close === CLOSE_BRACE && !passKey(scan)) return false
        continue
      }
      scan.at++
    }
    // > {"a": [1, 2], "b": 3}
    //               ^     ^    after a value: past the brackets that close, to a comma
    while (close !== 0 && passUnit(scan, close)) close = outer?.pop() ?? 0
    if (close === 0) return true
    if (!passUnit(scan, COMMA)) return false
    scan.at = afterSpace(text, scan.at)
    if (close === CLOSE_BRACE && !passKey(scan)) return false
  }
}

/** Passes white space, and a character if it follows. */
function passUnit(scan: JsonScan, unit: number): boolean {
  scan.at = afterSpace(scan.text, scan.at)
  if (scan.text.charCodeAt(scan.at) !== unit) return false
  scan.at++
  return true
}

/**
 * Passes a key up to its value.
 *
 *   > {"a": 1}
 *      ^    ^    from here to there
 */
function passKey(scan: JsonScan): boolean {
  const { text } = scan
  if (text.charCodeAt(scan.at) !== QUOTE || !passString(scan) || !passUnit(scan, COLON)) return false
  scan.at = afterSpace(text, scan.at)
  return true
}

/**
 * Passes a string, a number or a word.
 *
 *   > [true, null]
 *      ^   ^         from here to there
 *   > [True]
 *      ^       JSON has no such word
 */
function passPlain(scan: JsonScan, unit: number): boolean {
  if (unit === QUOTE) return passString(scan)
  if (unit === MINUS || isDigit(unit)) return passNumber(scan)
  const word = WORDS.find((each) => each.charCodeAt(0) === unit)
  if (word === undefined || !scan.text.startsWith(word, scan.at)) return false
  scan.at += word.length
  return true
}

const WORDS: readonly string[] = ['true', 'false', 'null']

/**
 * Passes a number; a fraction or an exponent without digits is not part of it.
 *
 *   > [-12.50e+3]
 *      ^        ^   from here to there
 *   > [1.]
 *       ^    up to the point, with which no JSON goes on
 *   > [012]
 *       ^     up to a second digit: a number does not begin with a zero
 */
function passNumber(scan: JsonScan): boolean {
  const { text, at } = scan
  const first = text.charCodeAt(at) === MINUS ? at + 1 : at
  const whole = text.charCodeAt(first) === ZERO ? first + 1 : afterDigits(text, first)
  scan.at = whole
  if (whole === first) return false
  if (text.charCodeAt(whole) === POINT) {
    const end = afterDigits(text, whole + 1)
    if (end > whole + 1) scan.at = end
  }
  if ((text.charCodeAt(scan.at) | LOWER) !== LOWER_E) return true
  const sign = text.charCodeAt(scan.at + 1)
  const digits = sign === PLUS || sign === MINUS ? scan.at + 2 : scan.at + 1
  const end = afterDigits(text, digits)
  if (end > digits) scan.at = end
  return true
}

/**
 * Passes the string whose quotation mark is here. Its first characters are checked, the rest of a long one is skipped.
 *
 *   > {"q": "Os\"lo"}
 *           ^       ^   from here to there
 *   > {"q": "Os\xlo"}
 *              ^        JSON has no such escape
 *   > {"q": "Os
 *              ^   without an end it is not JSON
 */
function passString(scan: JsonScan): boolean {
  const { text, at: open } = scan
  const near = Math.min(text.length, open + NEAR)
  for (let at = open + 1; at < near; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      scan.at = at + 1
      return true
    }
    if (unit === BACKSLASH) {
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) return failAt(scan, at)
      at = ESCAPE.lastIndex - 1
    } else if (unit < SPACE) return failAt(scan, at)
  }
  return passLongString(scan)
}

const NEAR = 24

function failAt(scan: JsonScan, at: number): false {
  scan.at = at
  return false
}

/**
 * Passes up to the first quotation mark with an even number of backslashes before it.
 *
 *   > "… C:\\"
 *             ^   two: the string ends
 *   > "… say \"hi
 *              ^    one: it goes on
 */
function passLongString(scan: JsonScan): boolean {
  const { text, at: open } = scan
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = quote
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--
    if ((quote - slashes) % 2 !== 0) continue
    scan.hasUnseen ||= quote - open > LONG || NOT_PLAIN.test(text.slice(open + 1, quote))
    scan.at = quote + 1
    return true
  }
  return failAt(scan, text.length)
}

/** Up to this length a pattern is no slower than `JSON.parse`, and it builds no text. */
const LONG = 1000
const NOT_PLAIN = /[\\\u0000-\u001f]/

/** What a text can be as JSON. */
export type JsonKind = 'object' | 'other' | 'none'

/** What a text is as JSON by RFC 8259; white space around it is allowed. */
export function kindOfJson(text: string): JsonKind {
  const at = afterSpace(text)
  const isWhole = text.length > SHORT ? isReadByParse(text) : isShortJson(text, at)
  if (!isWhole) return 'none'
  return text.charCodeAt(at) === OPEN_BRACE ? 'object' : 'other'
}

/** Longer texts consist mostly of strings. */
const SHORT = 300

/**
 * Whether the text is JSON from `at` on, and nothing follows.
 *
 *   > {"a": 1}
 *             ^
 *   > {"a": 1}}
 *             ^   one bracket too many
 */
function isShortJson(text: string, at: number): boolean {
  const scan = { text, at, hasUnseen: false }
  return passValue(scan) && afterSpace(text, scan.at) === text.length && (!scan.hasUnseen || isReadByParse(text))
}

/** Whether `JSON.parse` reads a text. What JavaScript loses of numbers and keys does not count. */
export function isReadByParse(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Which members of a JSON object make it a call. Others are ignored; the last of several with one name counts. */
export interface CallMembers {
  readonly name: string
  /** The first of these that the object has. */
  readonly arguments: readonly string[]
  readonly id?: string
}

/**
 * Reads a body that is one JSON value: a list of calls, or a single call. Arguments stay as written. Null for what is not JSON,
 * or not a list of objects.
 */
export function readJsonCalls(members: CallMembers): ReadCalls {
  const at = (text: string, from: number): FoundBody => {
    const scan: JsonScan = { text, at: afterSpace(text, from), hasUnseen: false }
    const calls: BodyCall[] = []
    const isList = text.charCodeAt(scan.at) === OPEN_BRACKET
    const isRead = isList ? passList(scan, members, calls) : passCall(scan, members, calls)
    const isJson = isRead && (!scan.hasUnseen || isReadByParse(text.slice(from, scan.at)))
    return { calls: isJson ? calls : null, end: scan.at }
  }
  const readCalls = (text: string): readonly BodyCall[] | null => {
    const { calls, end } = at(text, 0)
    return afterSpace(text, end) === text.length ? calls : null
  }
  return Object.assign(readCalls, { at })
}

/**
 * Passes a list of calls.
 *
 *   > [{"name": "f"}, {"name": "g"}]
 *     ^                             ^   from here to there
 *   > [{"name": "f"}, ]
 *                     ^   not JSON: an element is missing
 *   > [{"name": "f"}, 1]
 *                     ^    JSON, but not a list of objects
 */
function passList(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  scan.at++
  if (passUnit(scan, CLOSE_BRACKET)) return true
  do {
    scan.at = afterSpace(scan.text, scan.at)
    if (!passCall(scan, members, calls)) return false
  } while (passUnit(scan, COMMA))
  return passUnit(scan, CLOSE_BRACKET)
}

/** Where a piece of a JSON text begins and ends. */
interface Piece {
  readonly start: number
  readonly end: number
}

/**
 * Passes an object, which is a call. A name that is not a text is empty, and so are arguments that are missing.
 *
 *   > {"name": "f", "arguments": {"a": [1, 2]}}
 *     ^                                        ^   from here to there
 */
function passCall(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  const { text } = scan
  let [name, id]: [string, string | null] = ['', null]
  let given: Piece | null = null
  let rank = Infinity
  if (text.charCodeAt(scan.at) !== OPEN_BRACE) return false
  scan.at++
  for (let isFirst = true; !passUnit(scan, CLOSE_BRACE); isFirst = false) {
    if (!isFirst && !passUnit(scan, COMMA)) return false
    const start = afterSpace(text, scan.at)
    scan.at = start
    if (text.charCodeAt(start) !== QUOTE || !passString(scan)) return false
    const key = textIn(text, { start, end: scan.at }) ?? ''
    if (!passUnit(scan, COLON)) return false
    const value = { start: afterSpace(text, scan.at), end: 0 }
    scan.at = value.start
    if (!passValue(scan)) return false
    value.end = scan.at
    const order = members.arguments.indexOf(key)
    if (key === members.name) name = textIn(text, value) ?? ''
    else if (key === members.id) id = textIn(text, value)
    else if (order >= 0 && order <= rank) [given, rank] = [value, order]
  }
  calls.push({ name, arguments: given === null ? '' : text.slice(given.start, given.end), id })
  return true
}

/**
 * The value of a JSON string. Null for JSON that is not a string, and for a long string that turns out not to be JSON.
 *
 *   > {"name": "f"}
 *              ^  ^
 *   > {"name": 1}
 *              ^^   null
 *   > {"name": "… f\q"}
 *              ^      ^   null: JSON has no such escape
 */
function textIn(json: string, { start, end }: Piece): string | null {
  if (json.charCodeAt(start) !== QUOTE) return null
  const inner = json.slice(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    const value: unknown = JSON.parse(json.slice(start, end))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/**
 * Arguments as they are written in a JSON body: text that is not JSON becomes a JSON string.
 *
 *   > {"name": "python", "arguments": "print(1)"}
 *                                     ^         ^   from `print(1)`
 */
export function argumentsInBody(text: string): string {
  return kindOfJson(text) === 'none' ? dumps(text) : text
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SPACE = 0x20
const LOWER = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
