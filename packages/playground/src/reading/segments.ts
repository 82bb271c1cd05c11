import type { IssueItem, ReplyItem } from '@callspec/core'
import type { PlacedItem } from './place-items.ts'

/** A stretch of a reply that means one thing; stretches cover it. */
export interface Segment {
  readonly start: number
  readonly end: number
  /** Numbers of the items that it belongs to; none for marks, white space around them, and what was dropped. */
  readonly items: readonly number[]
  /** Numbers of the issues that name it. */
  readonly issues: readonly number[]
}

/** So many issues are marked in a text; all of them are listed. */
export const MOST_MARKED = 500

/** So many other items are marked in a text. */
export const MOST_BODIES = 3000

/** So many issues are told of one stretch. */
const MOST_AT_ONCE = 5

/** Cuts a reply where an item or an issue begins or ends. */
export function segmentsOf(length: number, items: readonly PlacedItem[]): readonly Segment[] {
  const [bodies, issues] = [bodiesOf(items), issuesOf(items)]
  const cuts = new Set([0, length])
  for (const { start, end } of [...bodies, ...issues])
    for (const at of [start, end]) if (at >= 0 && at <= length) cuts.add(at)
  const sorted = [...cuts].toSorted((one, other) => one - other)
  const segments: Segment[] = []
  let body = 0
  for (const [index, start] of sorted.entries()) {
    const end = sorted[index + 1]
    if (end === undefined) break
    while (body < bodies.length && (bodies[body]?.end ?? 0) <= start) body += 1
    const within = bodies[body]
    const own = within !== undefined && within.start <= start ? within.items : []
    const named = issues.filter((issue) => issue.start <= start && end <= issue.end).slice(0, MOST_AT_ONCE)
    segments.push({ start, end, items: own, issues: named.map((issue) => issue.index) })
  }
  return segments
}

interface Stretch {
  readonly index: number
  readonly start: number
  readonly end: number
}

interface Body {
  readonly items: number[]
  readonly start: number
  readonly end: number
}

/** Items that are no issue, none before the end of the one before. Calls of one list whose ends nobody told share a stretch. */
function bodiesOf(items: readonly PlacedItem[]): readonly Body[] {
  const bodies: Body[] = []
  let behind = 0
  for (const [index, { item, place }] of items.entries()) {
    if (item.kind === 'issue' || place === null) continue
    const start = Math.max(place.start, behind)
    if (place.end > start) bodies.push({ items: [index], start, end: place.end })
    else if (item.kind === 'call') bodies.at(-1)?.items.push(index)
    behind = Math.max(behind, place.end)
    if (bodies.length >= MOST_BODIES) break
  }
  return bodies
}

/** An issue about a place between two units marks the one before it, or the first. */
function issuesOf(items: readonly PlacedItem[]): readonly Stretch[] {
  const isIssue = (entry: readonly [number, ReplyItem]): entry is readonly [number, IssueItem] =>
    entry[1].kind === 'issue'
  return items
    .map(({ item }, index) => [index, item] as const)
    .filter(isIssue)
    .slice(0, MOST_MARKED)
    .map(([index, { start, end }]) => ({
      index,
      start: end > start ? start : Math.max(0, start - 1),
      end: Math.max(end, 1),
    }))
}
