/** How far a JSON text that arrives in pieces has been followed. */
export interface JsonWatch {
  /** Open brackets. */
  depth: number
  isInString: boolean
  /** Whether the next character of the string stands behind a backslash. */
  isEscaped: boolean
}

/** A watch before the first character. */
export function newJsonWatch(): JsonWatch {
  return { depth: 0, isInString: false, isEscaped: false }
}

/** What ends a JSON text. */
export interface JsonEnds {
  /** Each ends it outside of strings. */
  readonly markers: readonly string[]
  /** Whether its last bracket ends it. */
  readonly isBracketed: boolean
  /** Whether no more text comes: half a marker at the end is then none. */
  readonly isEnd: boolean
  /** Whether a character that no JSON has outside of strings ends it too. */
  readonly isOnlyJson: boolean
}

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
 */
export function followJson(watch: JsonWatch, text: string, from: number, ends: JsonEnds): Followed {
  let at = from
  while (at < text.length) {
    if (watch.isInString) {
      at = followString(watch, text, at)
      continue
    }
    const unit = text.charCodeAt(at)
    const found = markerAt(text, at, unit, ends)
    if (found !== null) return { at, marker: found === HALF ? null : found, isWhole: false, isBroken: false }
    // > [one
    //    ^     no word of JSON has this letter
    if (ends.isOnlyJson && !isJsonUnit(unit)) return { at, marker: null, isWhole: false, isBroken: true }
    at++
    switch (unit) {
      case QUOTE:
        watch.isInString = true
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        watch.depth += 1
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
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

/** Where the string ends, or the text. */
export function followString(watch: JsonWatch, text: string, from: number): number {
  const quote = text.indexOf('"', from)
  const end = quote < 0 ? text.length : quote
  // > "a \" b"
  //      ^     the quote behind an odd number of backslashes is a character of the string
  let start = end
  while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start--
  const count = end - start + (start === from && watch.isEscaped ? 1 : 0)
  const isEscaped = count % 2 === 1
  if (quote < 0) {
    watch.isEscaped = isEscaped
    return end
  }
  watch.isEscaped = false
  watch.isInString = isEscaped
  return end + 1
}

/** Stands for the beginning of a marker, of which the rest may come. */
const HALF = ''

function markerAt(text: string, at: number, unit: number, { markers, isEnd }: JsonEnds): string | null {
  for (const marker of markers) {
    if (marker.charCodeAt(0) !== unit) continue
    if (text.startsWith(marker, at)) return marker
    const left = text.length - at
    if (!isEnd && left < marker.length && marker.startsWith(text.slice(at))) return HALF
  }
  return null
}

/** White space of JSON: blank, tab, line feed, carriage return. */
export function isJsonSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

/** What may stand outside of strings: white space, brackets and signs, numbers, the letters of `true`, `false`, `null`. */
function isJsonUnit(unit: number): boolean {
  return unit < JSON_UNITS.length && JSON_UNITS[unit] === true
}

const JSON_UNITS: readonly boolean[] = Array.from({ length: 0x80 }, (_, unit) =>
  ' \t\n\r[]{},:"-+.0123456789Eetrufalsn'.includes(String.fromCharCode(unit)),
)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
