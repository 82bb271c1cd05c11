import { partialStart, textFinder } from '../regex/lead.ts'
import { patternFinder } from '../regex/pattern.ts'
import type { PatternFinder } from '../regex/pattern.ts'
import type { Effort } from '../regex/search.ts'
import type { Delimiter } from './response-template.ts'

/** Where a delimiter is, or may be arriving. Offsets are UTF-16 units of the buffer. */
export interface DelimiterMatch {
  readonly start: number
  readonly end: number
  /** More text could make it another match, or it is still arriving. */
  readonly isOpenEnded: boolean
  readonly captures: ReadonlyMap<string, string>
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

/**
 * Finds the next match of a delimiter at or after an offset that never decreases. With `isFinal` no more text comes, and nothing
 * is still arriving.
 */
export function delimiterFinder(
  delimiter: Delimiter,
  text: string,
  { isFinal, effort }: { readonly isFinal: boolean; readonly effort: Effort },
): (from: number) => DelimiterMatch | null {
  // A match is searched again only when the last one lies before what is left.
  let last: DelimiterMatch | null | undefined
  const find =
    delimiter.kind === 'pattern'
      ? finderOf(patternFinder(delimiter.pattern, text, effort), text, isFinal)
      : literalFinder(delimiter, text, isFinal)
  return (from) => {
    if (last === undefined || (last !== null && last.start < from)) last = find(from)
    return last
  }
}

function finderOf(finder: PatternFinder, text: string, isFinal: boolean): (from: number) => DelimiterMatch | null {
  return (from) => {
    const match = isFinal ? finder.whole(from) : finder.partial(from)
    if (match === null) return null
    const isOpenEnded = match.isPartial || match.end === text.length
    return { start: match.start, end: match.end, isOpenEnded, captures: match.named }
  }
}

/** The literal that is found first; of several at one place the longest. */
function literalFinder(
  { literals, canExtend }: Delimiter & { readonly kind: 'literals' },
  text: string,
  isFinal: boolean,
): (from: number) => DelimiterMatch | null {
  const next = textFinder(literals, text)
  return (from) => {
    const found = next(from)
    if (found !== null) {
      const end = found.start + found.text.length
      return { start: found.start, end, isOpenEnded: end === text.length && canExtend, captures: NO_CAPTURES }
    }
    if (isFinal) return null
    const start = partialStart(literals, text, from)
    return { start, end: text.length, isOpenEnded: true, captures: NO_CAPTURES }
  }
}
