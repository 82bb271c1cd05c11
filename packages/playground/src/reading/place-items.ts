import { unreachable } from '@callspec/python'
import type { Format, ReplyItem } from '@callspec/core'
import type { Place } from './place.ts'
import { placeOfCall } from './place-of-call.ts'
import type { CallHints } from './place-of-call.ts'
import { replyOfTold, stepOf } from './told-events.ts'
import type { ToldEvent } from './told-events.ts'

/** An item, and where it stands. */
export interface PlacedItem {
  readonly item: ReplyItem
  /** Null where the reader gives a text that does not stand in the reply. */
  readonly place: Place | null
  /** How much of the reply had arrived when all of the item was certain; null for its end. */
  readonly told: number | null
}

/**
 * Where the items of a reply stand in it. Readers only say that of issues; of the others it follows from when, unit by unit,
 * they were told: a text stands as far back as it was held, a call between its opening mark and the unit that ended it.
 */
export function placeItems(format: Format, text: string, told: readonly ToldEvent[]): readonly PlacedItem[] {
  const { items } = replyOfTold(told)
  const state: Placing = { text, format, cursor: 0, misses: 0, call: null, held: LONGEST_HELD + stepOf(text) }
  const calls: Found[] = []
  const runs: Found[] = []
  const issues: Found[] = []
  const texts = items.filter((item) => item.kind === 'text' || item.kind === 'reasoning')
  let left = texts[0]?.text.length ?? 0
  let run: Found | null = null
  for (const { event, told: at } of told) {
    switch (event.kind) {
      case 'text':
      case 'reasoning':
        if (event.text === '') break
        if (run === null || left <= 0) {
          run = { place: null, told: at }
          runs.push(run)
          left = texts[runs.length - 1]?.text.length ?? 0
        }
        left -= event.text.length
        grow(run, placeOfText(state, event.text, at), at)
        break
      case 'call':
        state.call = { name: event.name, id: event.id, named: at, written: '', wrote: at }
        break
      case 'arguments':
        if (state.call !== null) state.call = { ...state.call, wrote: at, written: state.call.written + event.text }
        break
      case 'call-end':
        calls.push({ place: placeCall(state, at), told: at })
        break
      case 'issue':
        issues.push({ place: { start: event.start, end: event.end }, told: at })
        break
      case 'rejected':
        break
      default:
        unreachable(event)
    }
  }
  return items.map((item) => placed(item, { calls, runs, issues }))
}

interface Found {
  place: Place | null
  told: number | null
}

interface Placing {
  readonly text: string
  readonly format: Format
  /** What stands before it has been placed. */
  cursor: number
  /** Texts that were looked for in all of the rest, and not found. */
  misses: number
  call: CallHints | null
  /** How far before the reader a text may end. */
  readonly held: number
}

/** Each list is in the order of the items of its kinds. */
function placed(
  item: ReplyItem,
  found: { readonly calls: Found[]; readonly runs: Found[]; readonly issues: Found[] },
): PlacedItem {
  const next = listOf(item, found).shift()
  return { item, place: next?.place ?? null, told: next?.told ?? null }
}

function listOf(
  { kind }: ReplyItem,
  { calls, runs, issues }: { readonly calls: Found[]; readonly runs: Found[]; readonly issues: Found[] },
): Found[] {
  if (kind === 'issue') return issues
  return kind === 'call' ? calls : runs
}

function grow(found: Found, place: Place | null, told: number | null): void {
  found.told = told
  if (place === null) return
  found.place = found.place === null ? place : { start: found.place.start, end: place.end }
}

/** Readers hold back no more than a marker and the white space around it. */
const LONGEST_HELD = 300

/** So often the whole rest is searched for a text that the reader may have altered. */
const MOST_MISSES = 50

function placeOfText(state: Placing, piece: string, told: number | null): Place | null {
  const { text, cursor } = state
  const start =
    told === null
      ? searched(state, piece)
      : held({ text, piece, from: Math.max(cursor, told - piece.length - state.held), told })
  if (start < 0) return null
  state.cursor = start + piece.length
  return { start, end: state.cursor }
}

/** The last place that ends where the reader was, or a little before. */
function held(where: {
  readonly text: string
  readonly piece: string
  readonly from: number
  readonly told: number
}): number {
  const { text, piece, from, told } = where
  const at = text.slice(from, told).lastIndexOf(piece)
  return at < 0 ? -1 : from + at
}

function searched(state: Placing, piece: string): number {
  if (state.misses >= MOST_MISSES) return -1
  const at = state.text.indexOf(piece, state.cursor)
  if (at < 0) state.misses += 1
  return at
}

function placeCall(state: Placing, told: number | null): Place | null {
  const { call, text, format, cursor } = state
  if (call === null) return null
  state.call = null
  const place = placeOfCall(text, { format, cursor, call, ended: told })
  state.cursor = place.end
  return place
}
