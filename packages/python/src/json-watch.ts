import { attempt } from './errors.ts'
import { loads } from './json-loads.ts'
import { respell } from './respell.ts'
import { MAX_DEPTH, isDigit, isHexDigit, isJsonSpace } from './scan.ts'
import { MAX_INT_DIGITS } from './value.ts'

/**
 * Whether Python's `json.loads` accepts the text; it must have no white space around it. Linear.
 *
 * Most arguments that are not JSON were cut off. Their last character shows it, and a raise costs more than reading.
 */
export function isJson(text: string): boolean {
  return wayOf(text) !== 'none'
}

/** How a text is read: as Python spells JSON, which needs no value to be built, in another way, or not at all. */
function wayOf(text: string): 'respelled' | 'loaded' | 'none' {
  const close = CLOSING.get(text.charAt(0))
  if (text === '' || (close !== undefined && (text.length < 2 || !text.endsWith(close)))) return 'none'
  if (respell(text) !== null) return 'respelled'
  return attempt(() => loads(text)).kind === 'returned' ? 'loaded' : 'none'
}

/**
 * What a text is as JSON, for every reader of JSON: `loads` also accepts NaN and Infinity, which are not JSON. It must have no
 * white space around it. Linear.
 */
export function jsonKind(text: string): 'object' | 'other' | 'none' {
  const way = wayOf(text)
  // What can be respelled holds neither.
  if (way === 'none' || (way === 'loaded' && holdsNoValue(text))) return 'none'
  return text.startsWith('{') ? 'object' : 'other'
}

/** Whether JSON that `loads` accepts holds NaN or Infinity, outside of its strings. */
export function holdsNoValue(json: string): boolean {
  // Two searches for a text are many times faster than one for a pattern.
  if (!json.includes('NaN') && !json.includes('Infinity')) return false
  const watch = jsonWatch()
  readJsonOn(watch, json)
  return watch.hasNoValue
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['"', '"'],
])

/**
 * What is known about a JSON text of which only the beginning has been read: whether `loads` would accept it if it ended
 * here. Plain data: a copy (`{ ...watch }`) goes on by itself.
 */
export interface JsonWatch {
  state: State
  /** The open lists and maps, innermost first. Never changed, so copies share it. */
  open: Nesting | null
  /** Whether the string that is being read is a key. */
  isKey: boolean
  /** What is left of the word (`true`), or of the four digits of an escape, that is being read. */
  rest: string
  /** Digits of the int that is being read. */
  digits: number
  /** Whether a value was NaN or Infinity, which `loads` accepts and JSON does not have. */
  hasNoValue: boolean
}

interface Nesting {
  readonly isMap: boolean
  readonly depth: number
  readonly outer: Nesting | null
}

/** What is expected next. `dead`: no text that begins like this is JSON. */
type State =
  | 'value'
  | 'value-or-end'
  | 'key'
  | 'key-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'string'
  | 'escape'
  | 'hex'
  | 'word'
  | 'minus'
  | 'zero'
  | 'int'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits'
  | 'dead'

/** A watch for a text that has not begun. */
export function jsonWatch(): JsonWatch {
  return { state: 'value', open: null, isKey: false, rest: '', digits: 0, hasNoValue: false }
}

/** Whether `loads` accepts what has been read so far. */
export function isWholeJson({ state, open, digits }: JsonWatch): boolean {
  if (open !== null) return false
  return state === 'comma-or-end' || (NUMBER_ENDS.has(state) && !isTooLong(state, digits))
}

/** The same, and whether every other reader of JSON would accept it too. */
export function isStandardJson(watch: JsonWatch): boolean {
  return !watch.hasNoValue && isWholeJson(watch)
}

/** Reads on. Each character is looked at once, and none once the text is dead. */
export function readJsonOn(watch: JsonWatch, text: string): void {
  for (let at = 0; at < text.length && watch.state !== 'dead'; at++) {
    if (watch.state === 'string') at = withinString(watch, text, at)
    else step(watch, text.charCodeAt(at))
  }
}

/** Up to the unit that ends the plain part of a string; the offset of that unit. */
function withinString(watch: JsonWatch, text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) watch.state = watch.isKey ? 'colon' : 'comma-or-end'
    else if (code === BACKSLASH) watch.state = 'escape'
    else if (code < SPACE) watch.state = 'dead'
    else continue
    return at
  }
  return text.length
}

function step(watch: JsonWatch, code: number): void {
  switch (watch.state) {
    case 'value':
    case 'value-or-end':
      if (isJsonSpace(code)) return
      if (code === CLOSE_BRACKET && watch.state === 'value-or-end') return leave(watch, false)
      return beginValue(watch, code)
    case 'key':
    case 'key-or-end':
      if (isJsonSpace(code)) return
      if (code === CLOSE_BRACE && watch.state === 'key-or-end') return leave(watch, true)
      watch.isKey = true
      watch.state = code === QUOTE ? 'string' : 'dead'
      return
    case 'colon':
      if (!isJsonSpace(code)) watch.state = code === COLON ? 'value' : 'dead'
      return
    case 'comma-or-end':
      return afterValue(watch, code)
    case 'escape':
      return escape(watch, code)
    case 'hex':
      return hex(watch, code)
    case 'word':
      return word(watch, code)
    default:
      return number(watch, code)
  }
}

function beginValue(watch: JsonWatch, code: number): void {
  const word = WORDS.get(code)
  if (code === QUOTE) {
    watch.isKey = false
    watch.state = 'string'
  } else if (code === OPEN_BRACE || code === OPEN_BRACKET) enter(watch, code === OPEN_BRACE)
  else if (word !== undefined) {
    watch.rest = word
    watch.state = 'word'
    if (code === UPPER_I || code === UPPER_N) watch.hasNoValue = true
  } else if (code === MINUS) {
    watch.digits = 0
    watch.state = 'minus'
  } else if (isDigit(code)) {
    watch.digits = 1
    watch.state = code === ZERO ? 'zero' : 'int'
  } else watch.state = 'dead'
}

function enter(watch: JsonWatch, isMap: boolean): void {
  const depth = (watch.open?.depth ?? 0) + 1
  watch.open = { isMap, depth, outer: watch.open }
  if (depth > MAX_DEPTH) watch.state = 'dead'
  else watch.state = isMap ? 'key-or-end' : 'value-or-end'
}

function leave(watch: JsonWatch, isMap: boolean): void {
  const { open } = watch
  watch.state = open !== null && open.isMap === isMap ? 'comma-or-end' : 'dead'
  watch.open = open?.outer ?? null
}

function afterValue(watch: JsonWatch, code: number): void {
  if (isJsonSpace(code)) return
  if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return leave(watch, code === CLOSE_BRACE)
  if (code === COMMA && watch.open !== null) watch.state = watch.open.isMap ? 'key' : 'value'
  else watch.state = 'dead'
}

function escape(watch: JsonWatch, code: number): void {
  watch.rest = '0000'
  if (code === LOWER_U) watch.state = 'hex'
  else watch.state = SHORT_ESCAPES.has(code) ? 'string' : 'dead'
}

function hex(watch: JsonWatch, code: number): void {
  watch.rest = watch.rest.slice(1)
  if (!isHexDigit(code)) watch.state = 'dead'
  else if (watch.rest === '') watch.state = 'string'
}

function word(watch: JsonWatch, code: number): void {
  if (code !== watch.rest.charCodeAt(0)) {
    watch.state = 'dead'
    return
  }
  watch.rest = watch.rest.slice(1)
  if (watch.rest === '') watch.state = 'comma-or-end'
}

function number(watch: JsonWatch, code: number): void {
  const { state } = watch
  if (isDigit(code)) return digit(watch, code)
  if (state === 'minus' && code === UPPER_I) {
    watch.rest = 'nfinity'
    watch.state = 'word'
    watch.hasNoValue = true
  } else if (code === POINT && (state === 'zero' || state === 'int')) watch.state = 'point'
  else if ((code === LOWER_E || code === UPPER_E) && WITH_EXPONENT.has(state)) watch.state = 'exponent'
  else if ((code === PLUS || code === MINUS) && state === 'exponent') watch.state = 'exponent-sign'
  else if (!NUMBER_ENDS.has(state) || isTooLong(state, watch.digits)) watch.state = 'dead'
  else {
    watch.state = 'comma-or-end'
    afterValue(watch, code)
  }
}

function digit(watch: JsonWatch, code: number): void {
  switch (watch.state) {
    case 'minus':
      watch.digits = 1
      watch.state = code === ZERO ? 'zero' : 'int'
      return
    case 'int':
      watch.digits++
      return
    case 'point':
    case 'fraction':
      watch.state = 'fraction'
      return
    case 'exponent':
    case 'exponent-sign':
    case 'exponent-digits':
      watch.state = 'exponent-digits'
      return
    default:
      watch.state = 'dead'
  }
}

/** CPython reads no longer int; a fraction or an exponent makes it a float, of any length. */
function isTooLong(state: State, digits: number): boolean {
  return state === 'int' && digits > MAX_INT_DIGITS
}

/** Where a number may end. */
const NUMBER_ENDS: ReadonlySet<State> = new Set<State>(['zero', 'int', 'fraction', 'exponent-digits'])
const WITH_EXPONENT: ReadonlySet<State> = new Set<State>(['zero', 'int', 'fraction'])

/** The words by their first letter, which is left out. */
const WORDS: ReadonlyMap<number, string> = new Map(
  ['null', 'true', 'false', 'NaN', 'Infinity'].map((word) => [word.charCodeAt(0), word.slice(1)]),
)
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)))

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const UPPER_E = 0x45
const UPPER_I = 0x49
const UPPER_N = 0x4e
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
