import { MAX_DEPTH, attempt } from './errors.ts'
import { loads } from './json-loads.ts'
import { respell } from './respell.ts'
import { afterDigits, afterSpace, isDigit } from './text.ts'

/**
 * A place in a text that may be JSON by RFC 8259. No value is built: that would take longer than reading the short arguments
 * of most calls. The functions below move the place past what they read, or to where it is not JSON.
 */
export interface JsonScan {
  readonly text: string
  at: number
  /** Whether long strings were skipped: `JSON.parse` looks into them faster. */
  hasUnseen: boolean
  /** Whether `NaN`, `Infinity` and `-Infinity` are values, as in Python. */
  readonly isPython?: true
}

/**
 * Passes a value, of any depth. Linear.
 *
 *   > {"a": [1, 2]} and more
 *     ^            ^          from here to there
 */
export function passJson(scan: JsonScan): boolean {
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
    while (close !== 0 && passJsonUnit(scan, close)) close = outer?.pop() ?? 0
    if (close === 0) return true
    if (!passJsonUnit(scan, COMMA)) return false
    scan.at = afterSpace(text, scan.at)
    if (close === CLOSE_BRACE && !passKey(scan)) return false
  }
}

/** Passes white space, and a character if it follows. */
export function passJsonUnit(scan: JsonScan, unit: number): boolean {
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
  if (text.charCodeAt(scan.at) !== QUOTE || !passJsonString(scan) || !passJsonUnit(scan, COLON)) return false
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
  if (unit === QUOTE) return passJsonString(scan)
  if ((unit === MINUS && !isNegativeInfinity(scan)) || isDigit(unit)) return passNumber(scan)
  const words = scan.isPython === true ? PYTHON_WORDS : WORDS
  const word = words.find((each) => each.charCodeAt(0) === unit)
  if (word === undefined || !scan.text.startsWith(word, scan.at)) return false
  scan.at += word.length
  return true
}

function isNegativeInfinity({ text, at, isPython }: JsonScan): boolean {
  return isPython === true && text.charCodeAt(at + 1) === UPPER_I
}

const WORDS: readonly string[] = ['true', 'false', 'null']
const PYTHON_WORDS: readonly string[] = [...WORDS, 'NaN', 'Infinity', '-Infinity']

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
export function passJsonString(scan: JsonScan): boolean {
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
  if (text.length > HUGE) return passSeenString(scan)
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

/** `JSON.parse` of a larger text would hold its strings once more. */
const HUGE = 1024 * 1024

/**
 * Passes a string, and checks each of its characters.
 *
 *   > "… C:\\ \u00e6"
 *          ^  ^    ^   one search for each
 */
function passSeenString(scan: JsonScan): boolean {
  const { text } = scan
  for (let at = scan.at + 1; ;) {
    NOT_TEXT.lastIndex = at
    if (!NOT_TEXT.test(text)) return failAt(scan, text.length)
    const found = NOT_TEXT.lastIndex - 1
    if (text.charCodeAt(found) === QUOTE) {
      scan.at = found + 1
      return true
    }
    ESCAPE.lastIndex = found
    if (!ESCAPE.test(text)) return failAt(scan, found)
    at = ESCAPE.lastIndex
  }
}

const NOT_TEXT = /["\\\u0000-\u001f]/g

/** Up to this length a pattern is no slower than `JSON.parse`, and it builds no text. */
const LONG = 1000
const NOT_PLAIN = /[\\\u0000-\u001f]/

/** What a text can be as JSON. */
export type JsonKind = 'object' | 'other' | 'none'

/** What a text is as JSON by RFC 8259; white space around it is allowed. */
export function standardKind(text: string): JsonKind {
  const at = afterSpace(text)
  const isWhole = text.length > SHORT ? isStandardJson(text) : isShortJson(text, at)
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
  return passJson(scan) && afterSpace(text, scan.at) === text.length && (!scan.hasUnseen || isStandardJson(text))
}

/** Whether a text is JSON by RFC 8259. What JavaScript loses of numbers and keys does not count. */
export function isStandardJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether Python's `json.loads` accepts the text; it must have no white space around it. Linear. */
export function isJson(text: string): boolean {
  const scan: JsonScan = { text, at: 0, hasUnseen: false, isPython: true }
  if (!passJson(scan) || scan.at < text.length) return false
  // Only longer texts can nest too deep for Python, or have too many digits.
  if (text.length <= MAX_DEPTH && !scan.hasUnseen) return true
  return respell(text) !== null || attempt(() => loads(text)).kind === 'returned'
}

/**
 * What a text is as JSON, for every reader of JSON: `loads` also accepts NaN and Infinity, which are not JSON. It must have no
 * white space around it. Linear.
 */
export function jsonKind(text: string): JsonKind {
  if (!isJson(text) || holdsNoValue(text)) return 'none'
  return text.startsWith('{') ? 'object' : 'other'
}

/** Whether JSON that `loads` accepts holds NaN or Infinity, outside of its strings. */
export function holdsNoValue(json: string): boolean {
  // Two searches for a text are many times faster than one for a pattern.
  if (!json.includes('NaN') && !json.includes('Infinity')) return false
  const scan: JsonScan = { text: json, at: 0, hasUnseen: false }
  for (;;) {
    const open = json.indexOf('"', scan.at)
    const outside = json.slice(scan.at, open < 0 ? json.length : open)
    if (outside.includes('NaN') || outside.includes('Infinity')) return true
    scan.at = open
    if (open < 0 || !passJsonString(scan)) return false
  }
}

/**
 * The offset after the bracket that closes the first one from `start` on; null if there is no such bracket, or one too many
 * before. Brackets inside double-quoted strings do not count. Linear.
 *
 * @param limit no character from here on is looked at
 */
export function balancedEnd(text: string, start: number, limit: number = text.length): number | null {
  const { at, isClosed } = followBrackets(text, start, { limit, maxDepth: Infinity })
  return isClosed ? at : null
}

/**
 * Whether the brackets of a JSON text nest deeper than `MAX_DEPTH`, found without reading it: a text of brackets alone takes
 * 200 times its size to read. Linear.
 */
export function isTooDeepJson(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false
  return followBrackets(text, 0, { limit: text.length, maxDepth: MAX_DEPTH }).depth > MAX_DEPTH
}

/** Stops after the last bracket of a value, at one too many, at the limit, and where the brackets are too deep. */
function followBrackets(
  text: string,
  start: number,
  { limit, maxDepth }: { readonly limit: number; readonly maxDepth: number },
): { readonly at: number; readonly depth: number; readonly isClosed: boolean } {
  let depth = 0
  let isInString = false
  for (let at = start; at < limit; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = !isInString
    else if (isInString) at += unit === BACKSLASH ? 1 : 0
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      depth += 1
      if (depth > maxDepth) return { at, depth, isClosed: false }
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      depth -= 1
      if (depth <= 0) return { at: at + 1, depth, isClosed: depth === 0 }
    }
  }
  return { at: limit, depth, isClosed: false }
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
const UPPER_I = 0x49
const LOWER_E = 0x65
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
