import { searchPartially, searchPattern } from '../regex/pattern.ts'
import { largest } from '../regex/shape.ts'
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

/** The first match of a delimiter at or after `from`. With `isFinal` no more text comes, and nothing is still arriving. */
export function findDelimiter(
  delimiter: Delimiter,
  text: string,
  { from, isFinal }: { readonly from: number; readonly isFinal: boolean },
): DelimiterMatch | null {
  if (delimiter.kind === 'pattern') {
    const search = isFinal ? searchPattern : searchPartially
    const match = search(delimiter.pattern, text, from)
    if (match === null) return null
    const isOpenEnded = match.isPartial || match.end === text.length
    return { start: match.start, end: match.end, isOpenEnded, captures: match.named }
  }
  const whole = findLiteral(delimiter.literals, text, from)
  if (whole !== null) {
    const end = whole.start + whole.literal.length
    return { start: whole.start, end, isOpenEnded: end === text.length && delimiter.canExtend, captures: NO_CAPTURES }
  }
  if (isFinal) return null
  const start = firstBeginning(delimiter.literals, text, from)
  return { start, end: text.length, isOpenEnded: true, captures: NO_CAPTURES }
}

/** The literal that is found first; of several at one place the longest. */
function findLiteral(
  literals: readonly string[],
  text: string,
  from: number,
): { readonly start: number; readonly literal: string } | null {
  let best: { readonly start: number; readonly literal: string } | null = null
  for (const literal of literals) {
    const start = text.indexOf(literal, from)
    if (start >= 0 && (best === null || start < best.start)) best = { start, literal }
  }
  return best
}

/** Where the end of the text begins a literal, or the end of the text. */
function firstBeginning(literals: readonly string[], text: string, from: number): number {
  const longest = largest(literals.map(({ length }) => length))
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    if (literals.some((literal) => literal.length > text.length - at && startsWithRest(literal, text, at))) return at
  }
  return text.length
}

/** Whether a literal begins with what the text has from `at` on. */
function startsWithRest(literal: string, text: string, at: number): boolean {
  for (let offset = at; offset < text.length; offset++) {
    if (literal.charCodeAt(offset - at) !== text.charCodeAt(offset)) return false
  }
  return true
}
