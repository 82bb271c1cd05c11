import { attempt, dumps, literalCalls, readLiteral, unreachable } from '@callspec/python'
import type { CallLayout, PyLiteral, PyValue } from '@callspec/python'
import { HALF, markerAt } from './follow.ts'
import type { BodyCall, PythonForm } from './grammar.ts'

/** What comes next in a text of Python calls; `fits` shows each place. */
export type PythonPlace = 'begin' | 'call' | 'name' | 'named' | 'dot' | 'inside' | 'after-call' | 'after'

/** How far a text was followed that may be Python calls. It arrives in pieces. */
export interface PythonWatch {
  place: PythonPlace
  /** Open brackets, from the one after the name of a call on. */
  depth: number
  /** The quotation marks that end the open string; empty outside of strings. */
  quote: string
  /** Whether the bracket of a call was opened: then calls were meant. */
  hasCall: boolean
}

/** A watch before the first character. */
export function newPythonWatch(form: PythonForm): PythonWatch {
  return { place: form === 'list' ? 'begin' : 'call', depth: 0, quote: '', hasCall: false }
}

/**
 * Whether the text is whole calls if it ends here.
 *
 *   > [f(a=1)]
 *             ^   a list is, after its bracket
 *   > f(a=1)\ng()\n
 *           ^    ^    lines are, after each call
 */
export function isWholePython({ place, quote, hasCall }: PythonWatch, form: PythonForm): boolean {
  if (form === 'list') return place === 'after'
  return quote === '' && hasCall && (place === 'after-call' || place === 'call')
}

/** What ends a text of Python calls. */
export interface PythonEnds {
  readonly form: PythonForm
  /** Each ends it outside of strings. */
  readonly markers: readonly string[]
  /** Whether no more text comes. */
  readonly isEnd: boolean
}

export interface FollowedPython {
  /** At a marker, at what may become one, at what Python does not have, or at the end of the text. */
  readonly at: number
  readonly marker: string | null
  /** Whether the text cannot be calls, whichever text follows. */
  readonly isBroken: boolean
}

/**
 * Follows `text` from `from` on: strings are jumped over, so that markers and brackets in them are text. Linear.
 *
 *   > [f(a="]<|python_end|>")]<|python_end|>
 *           ^               ^                  from here to there
 */
export function followPython(watch: PythonWatch, text: string, from: number, ends: PythonEnds): FollowedPython {
  let at = from
  while (at < text.length) {
    if (isOpen(watch)) {
      at = followLiteral(watch, text, at, ends.isEnd)
      // A line feed cannot be mended; at anything else, what follows decides.
      if (isOpen(watch) && at < text.length) return { at, marker: null, isBroken: isLineEnd(text.charCodeAt(at)) }
      continue
    }
    const unit = text.charCodeAt(at)
    const found = markerAt(text, at, ends)
    if (found !== null) return { at, marker: found === HALF ? null : found, isBroken: false }
    if (watch.place === 'inside' && (unit === QUOTE || unit === APOSTROPHE)) {
      const opened = openQuote(text, at, ends.isEnd)
      if (opened === null) return { at, marker: null, isBroken: false }
      watch.quote = opened.quote
      at = opened.end
      continue
    }
    if (!fits(watch, unit, ends.form)) return { at, marker: null, isBroken: true }
    at++
  }
  return { at, marker: null, isBroken: false }
}

/**
 * The quotation mark at `at`, or three of them; none for an empty string. Null if that depends on what follows.
 *
 *   > f(a="" "b", c="""d""")
 *         ^  ^      ^
 */
function openQuote(text: string, at: number, isEnd: boolean): { readonly quote: string; readonly end: number } | null {
  const mark = text.charAt(at)
  if (text.startsWith(mark.repeat(3), at)) return { quote: mark.repeat(3), end: at + 3 }
  if (!isEnd && text.length - at < 3 && text.slice(at) === mark.repeat(text.length - at)) return null
  return text[at + 1] === mark ? { quote: '', end: at + 2 } : { quote: mark, end: at + 1 }
}

/**
 * The offset at which the string ends, or the text. Before that, the string is open where it cannot go on, or where the meaning
 * depends on what follows.
 *
 *   > [f(a="Os\"lo")]
 *                  ^    a mark after a backslash is part of the string
 *   > [f(a="Os\nlo")]
 *             ^         Python has no line feed between single marks
 *   > [f(a="""Os"
 *                ^   it may be the first of three
 */
function followLiteral(watch: PythonWatch, text: string, from: number, isEnd: boolean): number {
  const { quote } = watch
  const mark = quote.charCodeAt(0)
  let at = searchSpecial(text, from, mark, true)
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === BACKSLASH) {
      // A line may go on after a backslash, and its end may be two characters.
      const isPair = text.charCodeAt(at + 1) === RETURN && text.charCodeAt(at + 2) === LINE_FEED
      if (!isEnd && (at + 1 === text.length || (text.charCodeAt(at + 1) === RETURN && at + 2 === text.length)))
        return at
      at += isPair ? 2 : 1
    } else if (unit === mark) {
      if (text.startsWith(quote, at)) {
        watch.quote = ''
        return at + quote.length
      }
      if (!isEnd && quote.startsWith(text.slice(at, at + quote.length)) && text.length - at < quote.length) return at
    } else if (isLineEnd(unit) && quote.length === 1) return at
    at = searchSpecial(text, at + 1, mark, false)
  }
  return text.length
}

function isOpen({ quote }: PythonWatch): boolean {
  return quote !== ''
}

function isLineEnd(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN
}

/** Where the next character is that has a meaning in a string; the length of the text where there is none. */
function searchSpecial(text: string, from: number, mark: number, isFirst: boolean): number {
  // A chunk of a stream is short: up to here a loop is faster than a search.
  const near = Math.min(text.length, from + NEAR)
  for (let at = from; at < near; at++) {
    const unit = text.charCodeAt(at)
    if (unit === mark || unit === BACKSLASH || unit === LINE_FEED || unit === RETURN) return at
  }
  if (near === text.length) return near
  const plain = isFirst ? plainEnd(text, near, mark) : null
  if (plain !== null) return plain
  const special = mark === QUOTE ? IN_QUOTES : IN_APOSTROPHES
  special.lastIndex = near
  return special.test(text) ? special.lastIndex - 1 : text.length
}

/**
 * Where a string ends that has no backslash and no line feed, as most strings: three searches by the engine find that. Null for others.
 * Linear, since it is called once for each piece of a string.
 */
function plainEnd(text: string, from: number, mark: number): number | null {
  const end = text.indexOf(String.fromCharCode(mark), from)
  const rest = text.slice(from, end < 0 ? text.length : end)
  return rest.includes('\\') || rest.includes('\n') || rest.includes('\r') ? null : from + rest.length
}

const NEAR = 24
const IN_QUOTES = /["\\\n\r]/g
const IN_APOSTROPHES = /['\\\n\r]/g

/** Takes a character outside of strings; false for one that calls cannot have here. */
function fits(watch: PythonWatch, unit: number, form: PythonForm): boolean {
  const isSpace = isLineEnd(unit) || unit === BLANK || unit === TAB || unit === FORM_FEED
  switch (watch.place) {
    // > [f(a=1)]
    //   ^
    case 'begin':
      return isSpace || (unit === OPEN_BRACKET && goes(watch, 'call'))
    // > [weather.get(city="Oslo"), now()]
    //    ^                        ^
    case 'call':
      if (unit === CLOSE_BRACKET) return form === 'list' && watch.hasCall && goes(watch, 'after')
      return isSpace || (isName(unit) && !isDigit(unit) && goes(watch, 'name'))
    // > [weather.get(city="Oslo")]
    //     ^       ^
    case 'name':
    // > [weather .get (city="Oslo")]
    //            ^    ^                no letter can follow
    case 'named':
      if (isSpace) return goes(watch, 'named')
      if (unit === POINT) return goes(watch, 'dot')
      return unit === OPEN_PARENTHESIS ? opensCall(watch) : watch.place === 'name' && isName(unit)
    // > [weather.get(city="Oslo")]
    //            ^
    case 'dot':
      return isSpace || (isName(unit) && !isDigit(unit) && goes(watch, 'name'))
    // > [weather.get(city="Oslo", days=[1])]
    //                ^          ^        ^
    case 'inside':
      return isSpace || fitsInside(watch, unit)
    // > [f(a=1), g()]
    //          ^    ^
    case 'after-call':
      if (unit === COMMA || (isLineEnd(unit) && form === 'lines')) return goes(watch, 'call')
      return isSpace || (unit === CLOSE_BRACKET && form === 'list' && goes(watch, 'after'))
    // > [f(a=1)]
    //           ^   white space may follow, and nothing else
    case 'after':
      return isSpace
    default:
      return unreachable(watch.place)
  }
}

function goes(watch: PythonWatch, place: PythonPlace): true {
  watch.place = place
  return true
}

/**
 * From here on calls were meant.
 *
 *   > [weather.get(city="Oslo")]
 *                  ^
 */
function opensCall(watch: PythonWatch): boolean {
  watch.hasCall = true
  watch.place = 'inside'
  watch.depth = 1
  return true
}

/**
 * Brackets, names, numbers with their signs, and what separates arguments.
 *
 *   > [f(a=[1, {"b": -2}])]
 *                         ^   the bracket that the name had opened is closed
 */
function fitsInside(watch: PythonWatch, unit: number): boolean {
  if (unit === OPEN_PARENTHESIS || unit === OPEN_BRACKET || unit === OPEN_BRACE) watch.depth++
  else if (unit === CLOSE_PARENTHESIS || unit === CLOSE_BRACKET || unit === CLOSE_BRACE) watch.depth--
  else return isName(unit) || SIGNS.has(unit)
  if (watch.depth === 0) watch.place = 'after-call'
  return true
}

/** Any character beyond ASCII may be a letter; the reader of calls decides. */
function isName(unit: number): boolean {
  const letter = unit | 0x20
  return unit >= 0x80 || (letter >= 0x61 && letter <= 0x7a) || unit === UNDERSCORE || isDigit(unit)
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** Reads a body that consists of Python calls. Null for any other text, and for a number that is too long to write. */
export function readPythonCalls(text: string, layout: CallLayout): readonly BodyCall[] | null {
  const calls = literalCalls(text, layout)
  if (calls === null) return null
  const mayHaveHalves = text.includes('\\') || /[\ud800-\udfff]/.test(text)
  const written = attempt(() =>
    calls.map(({ name, arguments: given }) => {
      const json = dumps(given)
      return { name, arguments: mayHaveHalves ? withEscapedHalves(json) : json, id: null }
    }),
  )
  return written.kind === 'returned' ? written.value : null
}

/** Half a surrogate pair, which UTF-8 cannot hold, stays the escape that it was. */
function withEscapedHalves(json: string): string {
  return json.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}

/** The JSON of a Python literal; null for other text, and for what JSON does not have, such as a tuple or an infinity. */
export function jsonOfLiteral(text: string): string | null {
  const read = attempt(() => readLiteral(text))
  if (read.kind !== 'returned') return null
  const value = jsonValue(read.value)
  return value === undefined ? null : dumps(value)
}

/** Undefined if JSON has no such value. */
function jsonValue(value: PyLiteral): PyValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return listOf(value as readonly PyLiteral[])
  return value instanceof Map ? dictOf(value as ReadonlyMap<PyLiteral, PyLiteral>) : undefined
}

function listOf(items: readonly PyLiteral[]): readonly PyValue[] | undefined {
  const values: PyValue[] = []
  for (const item of items) {
    const value = jsonValue(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function dictOf(members: ReadonlyMap<PyLiteral, PyLiteral>): ReadonlyMap<string, PyValue> | undefined {
  const dict = new Map<string, PyValue>()
  for (const [key, given] of members) {
    const value = jsonValue(given)
    if (typeof key !== 'string' || value === undefined) return undefined
    dict.set(key, value)
  }
  return dict
}

const TAB = 0x09
const LINE_FEED = 0x0a
const FORM_FEED = 0x0c
const RETURN = 0x0d
const BLANK = 0x20
const QUOTE = 0x22
const APOSTROPHE = 0x27
const OPEN_PARENTHESIS = 0x28
const CLOSE_PARENTHESIS = 0x29
const COMMA = 0x2c
const POINT = 0x2e
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const UNDERSCORE = 0x5f
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** `=`, `,`, `:`, `.`, `+` and `-`. */
const SIGNS: ReadonlySet<number> = new Set([0x3d, 0x2c, 0x3a, 0x2e, 0x2b, 0x2d])
