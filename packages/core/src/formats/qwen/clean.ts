import type { Note } from '../issue.ts'
import { lstripNewlines, rstripSpan, stripSpan } from '../span.ts'
import type { Span } from '../span.ts'
import { FUNCTION, MARKERS } from './tokens.ts'

/** UTF-16 unit of the flower. */
const FLOWER_UNIT = 0x273f
const MAX_MARKER = FUNCTION.length
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d
const FENCE = '```'

/**
 * The text without a marker, or the beginning of one, at its end (spec §6.4, `remove_incomplete_special_tokens`).
 * It serves replies that are cut while they are streamed, and removes such an end from finished ones too (Q9).
 */
export function removeIncompleteSpecialTokens(text: string): string {
  const { start, end } = cleanSpan(text, { start: 0, end: text.length })
  return text.slice(start, end)
}

/** `removeIncompleteSpecialTokens` for a piece of a text. Linear in what it removes. */
export function cleanSpan(text: string, span: Span, note?: Note): Span {
  const trimmed = rstripSpan(text, span)
  const end = markerAtEnd(text, trimmed)
  if (end < trimmed.end) note?.('marker-removed', { start: end, end: trimmed.end })
  return rstripSpan(text, lstripNewlines(text, { start: trimmed.start, end }))
}

/** The arguments without a comment behind them (spec §6.5, `remove_trailing_comment_of_fn_args`). */
export function removeTrailingComment(text: string): string {
  const { start, end } = trimComment(text, { start: 0, end: text.length })
  return text.slice(start, end)
}

/** `removeTrailingComment` for a piece of a text. Linear. */
export function trimComment(text: string, span: Span, note?: Note): Span {
  const trimmed = stripSpan(text, span)
  const end = argumentsEnd(text, trimmed)
  if (end < trimmed.end) note?.('text-after-call-dropped', stripSpan(text, { start: end, end: trimmed.end }))
  return { start: trimmed.start, end }
}

/** Where the marker at the end begins; the end itself where there is none. */
function markerAtEnd(text: string, { start, end }: Span): number {
  const flower = lastFlower(text, { start: Math.max(start, end - MAX_MARKER), end })
  if (flower < 0) return end
  if (flower === end - 1) {
    const marker = MARKERS.find((known) => end - known.length >= start && text.startsWith(known, end - known.length))
    if (marker !== undefined) return end - marker.length
  }
  const tail = text.slice(flower, end)
  return MARKERS.some((known) => known.startsWith(tail)) ? flower : end
}

function lastFlower(text: string, { start, end }: Span): number {
  let at = end - 1
  while (at >= start && text.charCodeAt(at) !== FLOWER_UNIT) at--
  return at >= start ? at : -1
}

function argumentsEnd(text: string, { start, end }: Span): number {
  if (text.charCodeAt(start) === BRACE_OPEN && start < end) {
    if (text.charCodeAt(end - 1) === BRACE_CLOSE) return end
    // Searched in the piece only: backwards through the whole text, many calls would make it quadratic.
    const last = text.slice(start, end).lastIndexOf('}')
    return last > 0 ? start + last + 1 : end
  }
  if (!text.startsWith(FENCE, start) || end - start < FENCE.length) return end
  const last = text.slice(start, end).lastIndexOf(`\n${FENCE}`)
  return last > 0 ? start + last + 1 + FENCE.length : end
}
