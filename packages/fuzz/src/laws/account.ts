import type { ParseOutcome } from '@callspec/core/qwen-agent'

import type { Language } from '../language.ts'
import { bodyEnds } from './body-ends.ts'

/** What of a text an outcome does not explain. */
export interface Unexplained {
  /** Where the first character stands that is in no message, no marker and no issue. */
  readonly at: number
}

/**
 * Looks for a way to read a text so that every character is explained: it stands in a message, is part of a marker of
 * calls, is white space, or lies in the range of an issue. The pieces of the messages have to stand in the text in their
 * order, with nothing but explained characters between them; where one could stand in several places, all are tried.
 *
 * @returns null if there is such a way, else the farthest place that was reached
 */
export function findUnexplained(text: string, outcome: ParseOutcome, language: Language): Unexplained | null {
  if (outcome.kind === 'rejected') return null
  const known = explainedIn(text, outcome.issues, language)
  const pieces = piecesOf(outcome, language)
  const tried = new Set<number>()
  const open: Place[] = [{ piece: 0, at: 0 }]
  let farthest = 0
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const key = place.piece * (text.length + 1) + place.at
    if (tried.has(key)) continue
    tried.add(key)
    // Everything up to here is explained; from here on only as far as the next character that is not.
    const edge = known.indexOf(0, place.at)
    const limit = edge < 0 ? text.length : edge
    farthest = Math.max(farthest, limit)
    const piece = pieces[place.piece]
    if (piece === undefined) {
      if (limit === text.length) return null
      continue
    }
    open.push(...placesBehind({ text, piece, place, limit, language }))
  }
  return { at: farthest }
}

interface Place {
  /** How many pieces have been found. */
  readonly piece: number
  /** Where the last one ends. */
  readonly at: number
}

/** A piece of a message: its characters, or a call whose characters are written anew. */
type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly mayBeShared: boolean }
  | { readonly kind: 'region' }
  | { readonly kind: 'body'; readonly name: string; readonly mayBeShared: boolean }

function piecesOf(
  outcome: Extract<ParseOutcome, { kind: 'parsed' }>,
  { callEnd, wrappers, head, callsInBody }: Language,
): readonly Piece[] {
  const pieces: Piece[] = []
  let lastName: string | null = null
  const isReported = outcome.issues.some(({ code }) => code === 'call-without-arguments')
  for (const { content, reasoning_content: thought, function_call: call, extra } of outcome.messages) {
    if (typeof thought === 'string' && thought !== '') pieces.push({ kind: 'text', text: thought, mayBeShared: false })
    if (content !== '') pieces.push({ kind: 'text', text: content, mayBeShared: false })
    if (!call) continue
    if (callsInBody === true) {
      pieces.push({ kind: 'body', name: call.name, mayBeShared: pieces.at(-1)?.kind === 'body' })
      continue
    }
    if (callEnd.length > 0) {
      pieces.push({ kind: 'region' })
      continue
    }
    // Several arguments behind one name make several calls; then the name stands in the text once.
    if (call.name !== '') pieces.push({ kind: 'text', text: call.name, mayBeShared: call.name === lastName })
    const id = extra?.get('function_id')
    if (typeof id === 'string' && wrappers !== undefined) pieces.push({ kind: 'text', text: id, mayBeShared: true })
    // A message of a call that says nothing stands for an empty object, and so do arguments that an issue reports as missing.
    const isImplied = call.arguments === '{}' && (head !== undefined || isReported)
    if (call.arguments !== '') pieces.push({ kind: 'text', text: call.arguments, mayBeShared: isImplied })
    lastName = call.name
  }
  return pieces
}

interface Search {
  readonly text: string
  readonly piece: Piece
  readonly place: Place
  readonly limit: number
  readonly language: Language
}

/** Every place where the search can go on when the piece is found; the first in the text is tried first. */
function placesBehind({ text, piece, place, limit, language }: Search): readonly Place[] {
  const next = place.piece + 1
  if (piece.kind === 'region')
    return regionsFrom({ text, from: place.at, limit, language }).map((at) => ({ piece: next, at }))
  const found: Place[] = piece.mayBeShared ? [{ piece: next, at: place.at }] : []
  if (piece.kind === 'body') {
    const regions = language.callEnd.length > 0 ? regionsFrom({ text, from: place.at, limit, language }) : []
    const ends = [...bodyEnds(text, { from: place.at, limit, name: piece.name }), ...regions]
    return [...found, ...ends.map((at) => ({ piece: next, at }))].toReversed()
  }
  for (let at = text.indexOf(piece.text, place.at); at >= 0 && at <= limit; at = text.indexOf(piece.text, at + 1)) {
    found.push({ piece: next, at: at + piece.text.length })
    if (found.length >= MAX_PLACES) {
      // All of them may lie where an issue tells about; the last one is the one that the rest of the text asks for.
      const last = text.lastIndexOf(piece.text, limit)
      if (last > at) found.push({ piece: next, at: last + piece.text.length })
      break
    }
  }
  return found.toReversed()
}

/** A piece that stands in more places than this is a repetition, and one of the first or the last will do. */
const MAX_PLACES = 12

/** Where calls end that begin not behind `limit`: at an end marker before the next start, else there. */
function regionsFrom({
  text,
  from,
  limit,
  language,
}: Omit<Search, 'piece' | 'place'> & { readonly from: number }): readonly number[] {
  const ends: number[] = []
  for (const start of language.callStart) {
    for (let at = text.indexOf(start, from); at >= 0 && at <= limit; at = text.indexOf(start, at + 1)) {
      const inside = at + start.length
      // A grammar follows strings and values, in which both markers are text: any end may be the one.
      if (language.wrappers !== undefined) ends.push(...endsFrom(text, language.callEnd, inside))
      const next = earliest(text, language.callStart, inside)?.at ?? text.length
      const end = earliest(text, language.callEnd, inside)
      ends.push(end !== null && end.at < next ? end.at + end.marker.length : next)
      if (ends.length >= MAX_PLACES) break
    }
  }
  return ends.toReversed()
}

function endsFrom(text: string, markers: readonly string[], from: number): readonly number[] {
  const ends = markers.flatMap((marker) => {
    const found: number[] = []
    for (let at = text.indexOf(marker, from); at >= 0 && found.length < MAX_PLACES; at = text.indexOf(marker, at + 1))
      found.push(at + marker.length)
    return found
  })
  return ends.toSorted((one, other) => one - other).slice(0, MAX_PLACES)
}

function earliest(text: string, markers: readonly string[], from: number): { at: number; marker: string } | null {
  let found: { at: number; marker: string } | null = null
  for (const marker of markers) {
    const at = text.indexOf(marker, from)
    if (at >= 0 && (found === null || at < found.at)) found = { at, marker }
  }
  return found
}

/** One entry per character: 1 for white space, for markers of calls and for what an issue tells about. */
function explainedIn(
  text: string,
  issues: readonly { readonly start: number; readonly end: number }[],
  { callStart, callInner, callEnd, thought, wrappers = [], head }: Language,
): Uint8Array {
  const known = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) if (isBlank(text.charCodeAt(at))) known[at] = 1
  for (const { start, end } of issues) known.fill(1, start, end)
  const thoughts = thought === null || wrappers.length === 0 ? [] : [thought.start, thought.end]
  for (const marker of [...callStart, ...callInner, ...callEnd, ...wrappers, ...thoughts]) {
    for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + 1))
      known.fill(1, at, at + marker.length)
  }
  if (head !== undefined) explainHeads(known, text, head)
  return known
}

/** A reply begins inside a head; the others stand between their two markers. */
function explainHeads(known: Uint8Array, text: string, { open, close }: NonNullable<Language['head']>): void {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(close, start)
    if (end < 0) return
    known.fill(1, start, end)
    const next = text.indexOf(open, end)
    if (next < 0) return
    start = next
  }
}

/** White space of Python or of JavaScript: which of them a parser strips is no question of what it keeps. */
function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit >= 0x1c
  return unit >= 0x85 && BLANK.has(unit)
}

const BLANK: ReadonlySet<number> = new Set([
  ...[0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
])

/** Whether a text holds more than white space. */
export function hasNonSpace(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isBlank(text.charCodeAt(at))) return true
  return false
}

/** A text without white space. */
export function withoutSpace(text: string): string {
  let solid = ''
  for (let at = 0; at < text.length; at++) if (!isBlank(text.charCodeAt(at))) solid += text.charAt(at)
  return solid
}
