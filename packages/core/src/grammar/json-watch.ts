import { standsAt } from '../stream/stands-at.ts'

/** How far a JSON text that arrives in pieces has been followed. */
export interface JsonWatch {
  /**
   * Open brackets.
   *
   *   > {"a": [1
   *             ^   2
   */
  depth: number
  /**
   * Whether a marker would be text here.
   *
   *   > {"q": "[TOOL
   *                 ^
   */
  isInString: boolean
  /**
   * Whether the next character of the string stands behind a backslash.
   *
   *   > {"q": "a \
   *               ^   a quotation mark would not end the string
   */
  isEscaped: boolean
}

/** A watch before the first character. */
export function newJsonWatch(): JsonWatch {
  return { depth: 0, isInString: false, isEscaped: false }
}

/** What ends a JSON text. */
export interface JsonEnds {
  readonly units: JsonUnits
  /** Whether its last bracket ends it. */
  readonly isBracketed: boolean
  /** Whether no more text comes: half a marker at the end is then none. */
  readonly isEnd: boolean
}

/** What the characters of a JSON text mean outside of its strings. */
export interface JsonUnits {
  /** Each ends the text. */
  readonly markers: readonly string[]
  /** By code unit what it is: one of the numbers below. The last one stands for all that are not ASCII. */
  readonly kinds: Uint8Array
  /** Whether no marker can stand in JSON, but for its strings: then JSON that is whole was not ended by one. */
  readonly endJson: boolean
}

const PLAIN = 0
const QUOTES = 1
const OPENS = 2
const CLOSES = 3
const BREAKS = 4
/** Besides: a marker may begin with it. */
const MAY_MARK = 8

/** The units of JSON that markers end, and, where it has to be JSON and nothing else, what no JSON has. */
export function jsonUnits(markers: readonly string[], { isOnlyJson }: { readonly isOnlyJson: boolean }): JsonUnits {
  const kinds = Uint8Array.from({ length: BEYOND_ASCII + 1 }, (_, unit) => {
    if (unit === QUOTE) return QUOTES
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) return OPENS
    if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) return CLOSES
    return isOnlyJson && !PLAIN_UNITS.includes(String.fromCharCode(unit)) ? BREAKS : PLAIN
  })
  for (const marker of markers) {
    const first = Math.min(marker.charCodeAt(0), BEYOND_ASCII)
    kinds[first] = (kinds[first] ?? PLAIN) | MAY_MARK
  }
  return { markers, kinds, endJson: markers.every(isForeign) }
}

const BEYOND_ASCII = 0x80

/**
 * Whether the marker has a character that no JSON has outside of strings, and no string before it.
 *
 *   > </tool_call>
 *      ^             no JSON goes on with it
 *   > },
 *      ^   one that is all JSON may stand between two maps
 */
function isForeign(marker: string): boolean {
  const [before = ''] = marker.split('"', 1)
  return [...before].some((character) => !(PLAIN_UNITS + '[]{}').includes(character))
}

/** What may stand outside of strings: white space, signs, numbers, the letters of `true`, `false`, `null`. */
const PLAIN_UNITS = ' \t\n\r,:"-+.0123456789Eetrufalsn'

/** Where following stopped, and at what; a null marker with `isWhole` false means that the text goes on. */
export interface Followed {
  /** One past the last bracket, the place of a marker or of half of one, or the end of the text. */
  readonly at: number
  readonly marker: string | null
  readonly isWhole: boolean
  /** Whether a character stands there that no JSON has. */
  readonly isBroken: boolean
}

/**
 * Follows `text` from `from` on: strings are jumped over, so that a marker in one is text. Outside of strings a marker ends
 * the JSON, and so does the bracket that closes the first one.
 *
 *   > {"q": "</tool_call>"}</tool_call>
 *     ^                    ^              from here to there
 */
export function followJson(watch: JsonWatch, text: string, from: number, ends: JsonEnds): Followed {
  const { kinds } = ends.units
  let at = watch.isInString ? followString(watch, text, from) : from
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const kind = kinds[unit < BEYOND_ASCII ? unit : BEYOND_ASCII] ?? PLAIN
    if (kind === PLAIN) {
      at++
      continue
    }
    const found = kind < MAY_MARK ? null : markerAt(text, at, ends)
    if (found !== null) return { at, marker: found === HALF ? null : found, isWhole: false, isBroken: false }
    // > [one
    //    ^     no word of JSON has this letter
    if ((kind & BREAKS) !== 0) return { at, marker: null, isWhole: false, isBroken: true }
    at++
    switch (kind & ~MAY_MARK) {
      case QUOTES:
        watch.isInString = true
        at = followString(watch, text, at)
        break
      case OPENS:
        watch.depth += 1
        break
      case CLOSES:
        watch.depth -= 1
        // > {"a": [1]}
        //             ^   behind the last bracket
        if (watch.depth === 0 && ends.isBracketed) return { at, marker: null, isWhole: true, isBroken: false }
        break
      default:
    }
  }
  return { at, marker: null, isWhole: false, isBroken: false }
}

/**
 * Where the string ends, or the text.
 *
 *   > {"q": "Oslo", "n": 1}
 *                 ^
 */
function followString(watch: JsonWatch, text: string, from: number): number {
  // Most strings are short, and a chunk of a stream is.
  const near = Math.min(text.length, from + NEAR)
  for (let at = from; at < near; at++) {
    const unit = text.charCodeAt(at)
    if (watch.isEscaped) watch.isEscaped = false
    else if (unit === BACKSLASH) watch.isEscaped = true
    else if (unit === QUOTE) {
      watch.isInString = false
      return at + 1
    }
  }
  return near < text.length ? followFar(watch, text, near) : near
}

/** Up to here a loop is faster than a search. */
const NEAR = 24

/** The same by searching, for the rest of long strings. */
function followFar(watch: JsonWatch, text: string, start: number): number {
  for (let from = start; ;) {
    const quote = text.indexOf('"', from)
    const end = quote < 0 ? text.length : quote
    // > "a \" b"
    //      ^     the quote behind an odd number of backslashes is a character of the string
    let slashes = end
    while (slashes > from && text.charCodeAt(slashes - 1) === BACKSLASH) slashes--
    const count = end - slashes + (slashes === from && watch.isEscaped ? 1 : 0)
    const isEscaped = count % 2 === 1
    watch.isEscaped = quote < 0 && isEscaped
    if (quote < 0) return end
    if (!isEscaped) {
      watch.isInString = false
      return end + 1
    }
    from = end + 1
  }
}

/** Stands for the beginning of a marker, of which the rest may come. */
const HALF = ''

function markerAt(text: string, at: number, { units, isEnd }: JsonEnds): string | null {
  for (const marker of units.markers) {
    if (standsAt(text, marker, at)) return marker
    const left = text.length - at
    if (!isEnd && left < marker.length && marker.startsWith(text.slice(at))) return HALF
  }
  return null
}

/** White space of JSON: blank, tab, line feed, carriage return. */
export function isJsonSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
