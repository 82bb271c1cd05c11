import { afterSpace } from './edges.ts'

/**
 * A place in a text that may be JSON by RFC 8259. No value is built, which saves much of what `JSON.parse` takes for the short
 * arguments of most calls. Passing a piece moves the place behind it, or to where it is seen to be none.
 */
export interface JsonScan {
  readonly text: string
  at: number
  /** Whether long strings were jumped over: `JSON.parse` looks into them faster. */
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
    //               ^     ^    behind a value, past the brackets that close, to a comma
    while (close !== 0 && isNext(scan, close)) close = outer?.pop() ?? 0
    if (close === 0) return true
    if (!isNext(scan, COMMA)) return false
    scan.at = afterSpace(text, scan.at)
    if (close === CLOSE_BRACE && !passKey(scan)) return false
  }
}

/** Passes white space, and a character if it stands there. */
function isNext(scan: JsonScan, unit: number): boolean {
  scan.at = afterSpace(scan.text, scan.at)
  if (scan.text.charCodeAt(scan.at) !== unit) return false
  scan.at++
  return true
}

/**
 * Passes a key, and what stands between it and its value.
 *
 *   > {"a": 1}
 *      ^    ^    from here to there
 */
export function passKey(scan: JsonScan): boolean {
  const { text } = scan
  if (text.charCodeAt(scan.at) !== QUOTE || !passString(scan)) return false
  scan.at = afterSpace(text, scan.at)
  if (text.charCodeAt(scan.at) !== COLON) return false
  scan.at = afterSpace(text, scan.at + 1)
  return true
}

/**
 * Passes a text, a number or a word.
 *
 *   > [true, null]
 *      ^   ^         from here to there
 *   > [True]
 *      ^       no word of JSON
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
 * A fraction or an exponent without digits is no part of the number.
 *
 *   > [-12.50e+3]
 *      ^        ^   from here to there
 *   > [1.]
 *       ^    passed up to the point, with which nothing goes on
 *   > [012]
 *       ^     up to a second digit: none begins with a zero
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

function afterDigits(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

/**
 * Passes the string whose quotation mark stands here.
 *
 *   > {"q": "Os\"lo"}
 *           ^       ^   from here to there
 *   > {"q": "Os\xlo"}
 *              ^        no escape of JSON
 *   > {"q": "Os
 *              ^   without an end it is none
 */
export function passString(scan: JsonScan): boolean {
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

/** A longer string is not looked into. */
const NEAR = 24

/** Where the text is seen to be none stands the place. */
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

/** Up to here a pattern is no slower than `JSON.parse`, and it makes no text. */
const LONG = 1000
const NOT_PLAIN = /[\\\u0000-\u001f]/

/** What a text can be as JSON. */
export type JsonKind = 'object' | 'other' | 'none'

/** What a text is as JSON by RFC 8259, with white space around it or none. */
export function kindOfJson(text: string): JsonKind {
  const at = afterSpace(text)
  const isWhole = text.length > SHORT ? isReadByParse(text) : isShortJson(text, at)
  if (!isWhole) return 'none'
  return text.charCodeAt(at) === OPEN_BRACE ? 'object' : 'other'
}

/** Of longer texts most is said in strings. */
const SHORT = 300

/**
 * Whether the text is JSON from `at` on, and nothing stands behind it.
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

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SPACE = 0x20
const LOWER = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
