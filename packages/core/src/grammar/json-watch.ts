/** How far a JSON text that arrives in pieces has been followed. */
export interface JsonWatch {
  /** Open brackets. */
  depth: number
  isInString: boolean
  isEscaped: boolean
  /** Whether anything but white space has come. */
  hasBegun: boolean
}

/** A watch before the first character. */
export function newJsonWatch(): JsonWatch {
  return { depth: 0, isInString: false, isEscaped: false, hasBegun: false }
}

/**
 * Follows `text` from `from` to `to`, or to where the value's last bracket closes: there a list or an object is whole.
 *
 * @returns one past that bracket; null where the value goes on, or is neither list nor object
 */
export function followJson(watch: JsonWatch, text: string, { from, to }: { from: number; to: number }): number | null {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (watch.isInString) {
      // > "a \" b"
      //      ^     the quote behind a backslash is a character of the string
      if (watch.isEscaped) watch.isEscaped = false
      else if (unit === BACKSLASH) watch.isEscaped = true
      else if (unit === QUOTE) watch.isInString = false
      continue
    }
    switch (unit) {
      case QUOTE:
        watch.isInString = true
        watch.hasBegun = true
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        watch.depth += 1
        watch.hasBegun = true
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        watch.depth -= 1
        watch.hasBegun = true
        // > {"a": [1]}
        //             ^   the last bracket
        if (watch.depth === 0) return at + 1
        break
      default:
        if (!isJsonSpace(unit)) watch.hasBegun = true
    }
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
