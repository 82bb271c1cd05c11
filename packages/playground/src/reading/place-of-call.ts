import type { Format } from '@callspec/core'
import type { Place } from './place.ts'

/** What the events of a call say. */
export interface CallHints {
  readonly name: string
  readonly id: string | null
  /** How much of the reply had arrived when the name was told; null for its end. */
  readonly named: number | null
  readonly written: string
  /** The same of the last piece of the arguments. */
  readonly wrote: number | null
}

/** What is known of a call. */
export interface CallRequest {
  readonly format: Format
  /** Everything before it belongs to other items. */
  readonly cursor: number
  readonly call: CallHints
  /** How much had arrived when it ended; null for the end of the reply. */
  readonly ended: number | null
}

/**
 * Where a call stands: from its opening mark to the unit that ended it. Where the reader only told it later, to its arguments
 * as they are written, and the closing mark behind them. Of a list, which is told at once, each call is its own piece.
 */
export function placeOfCall(text: string, { format, cursor, call, ended }: CallRequest): Place {
  // A call that is told at once, with others or at the end, says nothing of where it ends.
  const isAtOnce = ended === null || call.named === ended
  const limit = isAtOnce ? Math.min(ended ?? text.length, cursor + FARTHEST) : ended
  const { callStart, callEnd } = format.markers
  const start =
    firstOf(callStart, { text, from: cursor, to: Math.min(call.named ?? text.length, limit) }) ??
    skipJoint(text, cursor)
  const content = contentEnd(text, { call, start, limit })
  if (isAtOnce)
    return {
      start,
      end: closed(text, { from: content ?? start, isWritten: content !== null, limit, callStart, callEnd }),
    }
  const next = firstOf(callStart, { text, from: Math.max(content ?? call.wrote ?? start, start + 1), to: limit })
  return { start, end: Math.max(start, next ?? limit) }
}

/** Thousands of calls may be told at once, at the end: each is looked for no farther than this, in UTF-16 units. */
const FARTHEST = 100_000

interface Window {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Where the first of the markers begins that stand in a window. */
function firstOf(markers: readonly string[], { text, from, to }: Window): number | null {
  const stretch = text.slice(from, to)
  const places = markers.map((marker) => stretch.indexOf(marker)).filter((at) => at >= 0)
  return places.length === 0 ? null : from + Math.min(...places)
}

/** White space, and the comma between the calls of a list. */
function skipJoint(text: string, from: number): number {
  let at = from
  while (at < text.length && /[\s,]/.test(text.charAt(at))) at += 1
  return at
}

/** So close behind the arguments an id is looked for, and the mark that closes the call. */
const NEAR = 80

/** One past the arguments as they are written, and an id behind them; null where the reader gives them otherwise. */
function contentEnd(
  text: string,
  { call, start, limit }: { readonly call: CallHints; readonly start: number; readonly limit: number },
): number | null {
  const stretch = text.slice(start, limit)
  const name = stretch.indexOf(call.name)
  if (name < 0 || call.written === '') return null
  const at = stretch.indexOf(call.written)
  if (at < 0) return null
  // In an object the arguments may stand before the name.
  const end = at < name ? name + call.name.length : stretch.indexOf(call.written, name) + call.written.length
  const id = call.id === null ? -1 : stretch.slice(end, end + NEAR).indexOf(call.id)
  return start + (id < 0 || call.id === null ? end : end + id + call.id.length)
}

interface Closing {
  readonly from: number
  /** Whether `from` is the end of the arguments. */
  readonly isWritten: boolean
  readonly limit: number
  readonly callStart: readonly string[]
  readonly callEnd: readonly string[]
}

/** Brackets and white space between arguments and what closes a call. */
const CLOSERS = /^[\s}\])"']*/

function closed(text: string, { from, isWritten, limit, callStart, callEnd }: Closing): number {
  const close = firstOf(callEnd, { text, from, to: limit })
  const next = firstOf(callStart, { text, from: from + 1, to: limit })
  const isBefore = close !== null && (next === null || close < next)
  if (!isWritten) return isBefore ? close + lengthAt(text, callEnd, close) : (next ?? limit)
  const behind = from + (CLOSERS.exec(text.slice(from, limit))?.[0].length ?? 0)
  if (isBefore && close <= behind + NEAR) return close + lengthAt(text, callEnd, close)
  return from + text.slice(from, behind).trimEnd().length
}

function lengthAt(text: string, markers: readonly string[], at: number): number {
  return Math.max(0, ...markers.filter((marker) => text.startsWith(marker, at)).map(({ length }) => length))
}
