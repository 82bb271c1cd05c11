import type { Followed, JsonWatch } from './json-watch.ts'

/** What ends a value whose strings have marks of their own. */
export interface QuotedEnds {
  /** Each ends it outside of strings; one of a single character only outside of brackets, too. */
  readonly markers: readonly string[]
  /** What stands on both sides of a string. */
  readonly quote: string
  /** Whether no more text comes: half a marker at the end is then none. */
  readonly isEnd: boolean
}

/**
 * Follows a value from `from` on to the marker that ends it. The watch says how many brackets are open, and whether a
 * string is; nothing is escaped in one.
 *
 *   > {tags:[<|"|>a,}<|"|>,1],n:2}
 *                  ^                in a string
 *                          ^        in brackets
 *                            ^      the end of the value of `tags`
 */
export function followQuoted(watch: JsonWatch, text: string, from: number, ends: QuotedEnds): Followed {
  const { quote, isEnd } = ends
  let at = from
  while (at < text.length) {
    if (watch.isInString) {
      const close = text.indexOf(quote, at)
      if (close < 0) return goesOn(isEnd ? text.length : halfAt(text, quote, at))
      at = close + quote.length
      watch.isInString = false
      continue
    }
    const found = markAt(text, at, ends, watch.depth)
    // > {city:<|"
    //         ^    the rest of a marker may come
    if (found === HALF) return goesOn(at)
    if (found === quote) {
      at += quote.length
      watch.isInString = true
      continue
    }
    if (found !== null) return { at, marker: found, isWhole: false, isBroken: false }
    countBracket(watch, text[at])
    at++
  }
  return goesOn(at)
}

function goesOn(at: number): Followed {
  return { at, marker: null, isWhole: false, isBroken: false }
}

/** Stands for the beginning of a marker, of which the rest may come. */
const HALF = ''

function markAt(text: string, at: number, { markers, quote, isEnd }: QuotedEnds, depth: number): string | null {
  const isBeginning = (mark: string): boolean => !isEnd && text.length - at < mark.length && startsLike(text, at, mark)
  if (text.startsWith(quote, at)) return quote
  let isHalf = isBeginning(quote)
  for (const marker of markers) {
    if (marker.length === 1 && depth > 0) continue
    if (text.startsWith(marker, at)) return marker
    isHalf ||= isBeginning(marker)
  }
  return isHalf ? HALF : null
}

function startsLike(text: string, at: number, mark: string): boolean {
  return text[at] === mark[0] && mark.startsWith(text.slice(at))
}

/**
 * Where the text may end with the beginning of the mark.
 *
 *   > {city:<|"|>Oslo<|"
 *                    ^     not read before the rest has come
 */
function halfAt(text: string, mark: string, from: number): number {
  for (let at = Math.max(from, text.length - mark.length + 1); at < text.length; at++)
    if (startsLike(text, at, mark)) return at
  return text.length
}

/**
 * A bracket too many closes nothing: such a value cannot be read, but it has an end.
 *
 *   > {n:[1]],m:2}
 *            ^       the comma ends the value of `n`
 */
function countBracket(watch: JsonWatch, unit: string | undefined): void {
  if (unit === '{' || unit === '[') watch.depth += 1
  else if (unit === '}' || unit === ']') watch.depth = Math.max(0, watch.depth - 1)
}
