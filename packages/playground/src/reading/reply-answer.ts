import { formatNamed } from '@callspec/core'
import type { Format, IssueItem, Reply, ReplyItem } from '@callspec/core'
import { identifyReply, parserNames } from '@callspec/core/identify'
import type { IdentifiedReply, ParserNames } from '@callspec/core/identify'
import { isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { readTools } from '../read-request.ts'
import type { ReplyChoice } from '../state.ts'
import { placeItems } from './place-items.ts'
import type { PlacedItem } from './place-items.ts'
import { formatOrFirst, readAs, readOptions, toldEvents, versionsThatRead } from './read-as.ts'
import type { ReplyRequest } from './read-as.ts'

/** What is asked of a reply. */
export interface ReplyQuestion extends ReplyChoice {
  readonly text: string
  /** JSON5. */
  readonly tools: string
}

/** A reply, read in every way that there is. */
export interface ReplyAnswer {
  /** What is wrong with the tools; they are then left out. */
  readonly toolsFault: string | null
  readonly identified: IdentifiedReply
  /** The format that it was read in: the chosen one, else the best. */
  readonly format: string
  readonly version: string
  /** What engines call the parser of the format. */
  readonly parsers: ParserNames | null
  readonly reply: Reply
  readonly placed: readonly PlacedItem[]
  readonly segments: readonly Segment[]
  /** What each version says, those together that say the same. */
  readonly versions: readonly VersionsReading[]
}

/** What some versions say alike. */
export interface VersionsReading {
  readonly versions: readonly string[]
  readonly reply: Reply
}

/** A longer reply is cut before it is read, in UTF-16 units: a page is no place for it. */
export const LONGEST_READ = 1_000_000

/** Reads a reply. Nothing that a model writes makes it throw. */
export function replyAnswer({ text: whole, tools: toolsText, ...choice }: ReplyQuestion): ReplyAnswer {
  const text = whole.slice(0, LONGEST_READ)
  const read = readTools(toolsText)
  const tools = read.kind === 'read' ? read.tools.filter((tool): tool is PyDict => isDict(tool)) : []
  const identified = identifyReply(text, { tools })
  const format = formatNamed(choice.format) ?? formatOrFirst(likeliest(identified))
  const request: ReplyRequest = { ...choice, text, tools }
  const options = readOptions(format, request)
  const placed = placeItems(format, text, toldEvents(format, text, options))
  return {
    toolsFault: read.kind === 'read' ? null : read.message,
    identified,
    format: format.id,
    version: options.version ?? '',
    parsers: parserNames(format.id),
    reply: readAs(format, request),
    placed,
    segments: segmentsOf(text.length, placed),
    versions: readVersions(format, request),
  }
}

/** The answer; where no format finds a call, the one that is meant, else one whose markers are there. */
function likeliest({ formats, broken, stray, ranking }: IdentifiedReply): string {
  return formats[0] ?? broken?.formats[0] ?? stray?.formats[0] ?? ranking[0]?.format ?? ''
}

function readVersions(format: Format, request: ReplyRequest): readonly VersionsReading[] {
  const readings = new Map<string, { readonly versions: string[]; readonly reply: Reply }>()
  for (const version of versionsThatRead(format)) {
    const reply = readAs(format, { ...request, version })
    const key = JSON.stringify(reply)
    const known = readings.get(key)
    if (known === undefined) readings.set(key, { versions: [version], reply })
    else known.versions.push(version)
  }
  return [...readings.values()]
}

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
const MOST_MARKED = 500

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
