import type { ToolSpec } from '../reply/reader.ts'
import type { Format } from '../format/format.ts'
import { FORMATS } from '../formats/index.ts'
import { toolOf } from '../grammar/values.ts'
import type { PyDict } from '@callspec/python'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { IssueItem } from '../reply/item.ts'
import type { BrokenCall, StrayMarkers } from './broken-call.ts'
import { bareCall, brokenCall, strayMarkers } from './broken-call.ts'
import type { Examined } from './examine-reply.ts'
import { examineReply, markerPlaces } from './examine-reply.ts'
import { hasSameItems, versionFor } from './versions.ts'

/** How well one format reads a reply. */
export interface RankedFormat {
  readonly format: string
  /** The version of its reference that read the reply: `strict` where it has that. */
  readonly version: string
  /** From 0, for no call, to 1: calls of known names, no issue, nothing left over. */
  readonly score: number
  /** In one sentence: `1 call, no issues; known tool; no text.` */
  readonly why: string
}

/** Which format a reply is in. */
export interface IdentifiedReply {
  /** The ids of the formats that read it best, and alike to the item; empty where no format finds a call. */
  readonly formats: readonly string[]
  /** If no format finds a call: the call that is meant, and what is wrong with it. Else null. */
  readonly broken: BrokenCall | null
  /** If no call is meant either: the formats whose markers are in the text. Else null. */
  readonly stray: StrayMarkers | null
  /** Every format, the best first. */
  readonly ranking: readonly RankedFormat[]
}

/** What is known in addition to the reply. */
export interface IdentifyOptions {
  /** The tools of the request, bare or wrapped. Default: unknown, and every name could be that of a tool. */
  readonly tools?: readonly ToolSpec[]
  /** The formats that are tried. Default: all. */
  readonly formats?: readonly Format[]
}

/**
 * Which format a reply is in, by how well every format reads it. Each reads it at most once. No reply makes it throw.
 *
 * @throws InputError for tools that are not plain data
 */
export function identifyReply(text: string, { tools = [], formats = FORMATS }: IdentifyOptions = {}): IdentifiedReply {
  const list = fromPlain(tools, 'tools')
  const dicts = isList(list) ? list.filter(isDict) : []
  const request = { text, tools: dicts, names: offeredNames(dicts), places: markerPlaces(text) }
  const examined: Examined[] = []
  const unread: RankedFormat[] = []
  for (const format of formats) {
    const each = examineReply(format, request)
    if (each === null) unread.push({ format: format.id, version: versionFor(format), score: 0, why: NO_CALL_FOUND })
    else examined.push(each)
  }
  examined.sort(better)
  const best = bestOf(examined)
  const answer = best === null ? [] : examined.filter((each) => isAlike(each, best))
  const others = examined.filter((each) => !answer.includes(each))
  const ranked = [...answer, ...others].map((each) => rankedFormat(each, request.names.size > 0))
  const broken = best === null ? (brokenCall(examined, text) ?? bareCall(text, formats)) : null
  return {
    formats: answer.map(({ format }) => format.id),
    broken,
    stray: best === null && broken === null ? strayMarkers(formats, request.places) : null,
    ranking: [...withBroken(ranked, broken), ...unread],
  }
}

/** The formats of a broken call come before those that read something else in its place. */
function withBroken(ranked: readonly RankedFormat[], broken: BrokenCall | null): readonly RankedFormat[] {
  const isMeant = ({ format }: RankedFormat): boolean => broken?.formats.includes(format) === true
  return [...ranked.filter(isMeant), ...ranked.filter((each) => !isMeant(each))]
}

function rankedFormat(examined: Examined, hasTools: boolean): RankedFormat {
  const { format, version, score } = examined
  return { format: format.id, version, score: Math.round(score * 1000) / 1000, why: explain(examined, { hasTools }) }
}

function offeredNames(tools: readonly PyDict[]): ReadonlySet<string> {
  return new Set(tools.map((tool) => toolOf(tool)?.get('name')).filter((name) => typeof name === 'string'))
}

/** Without calls, the format with most of its markers comes first. */
function better(one: Examined, other: Examined): number {
  return other.score - one.score || other.broken - one.broken
}

/**
 * The first that finds a call. A call whose name cannot be a name, or one without a marker among much text, is more likely a piece
 * of a broken call of a format in which one begins.
 */
function bestOf(examined: readonly Examined[]): Examined | null {
  const [best] = examined
  if (best === undefined || best.score === 0) return null
  const isStray = best.named === 0 || (!best.begins && best.score < LIKELY)
  return isStray && examined.some(({ broken }) => broken > 0) ? null : best
}

/** Below this score a call without a marker is taken for prose. */
const LIKELY = 0.4

/** Whether two formats read a reply alike: texts up to the white space around them, calls to the letter. */
function isAlike(one: Examined, other: Examined): boolean {
  if (one === other) return true
  if (one.calls.length !== other.calls.length || one.harms.length !== other.harms.length) return false
  return hasSameItems(one.items, other.items)
}

const NO_CALL_FOUND = 'No call.'

/** Why a format has its rank: the calls, the issues, the names and the text left over. */
function explain(examined: Examined, { hasTools }: { readonly hasTools: boolean }): string {
  const { calls, error, harms, notes, left, broken } = examined
  if (error !== null) return `The reference raises ${error.type}.`
  if (calls.length === 0) return broken > 0 ? `A call begins but cannot be read: ${codesOf(harms)}.` : NO_CALL_FOUND
  const issues = harms.length + notes.length === 0 ? 'no issues' : issuesText(examined)
  const rest = left === 0 ? 'no text' : `${countedNoun(left, 'character')} of text`
  return `${countedNoun(calls.length, 'call')}, ${issues}; ${namesText(examined, hasTools)}; ${rest}.`
}

function issuesText({ harms, notes }: Examined): string {
  const parts = [
    ...(harms.length === 0 ? [] : [`${countedNoun(harms.length, 'error')} (${codesOf(harms)})`]),
    ...(notes.length === 0 ? [] : [`${countedNoun(notes.length, 'note')} (${codesOf(notes)})`]),
  ]
  return parts.join(', ')
}

function namesText({ calls, known }: Examined, hasTools: boolean): string {
  const [right, wrong] = hasTools ? ['known tool', 'unknown tool'] : ['valid tool name', 'invalid tool name']
  if (calls.length === 1) return known === 1 ? right : wrong
  return known === calls.length ? `${right}s` : `${known} of ${calls.length} are ${right}s`
}

const MOST_CODES = 3

function codesOf(issues: readonly IssueItem[]): string {
  const codes = [...new Set(issues.map(({ code }) => code))]
  return codes.length <= MOST_CODES ? codes.join(', ') : `${codes.slice(0, MOST_CODES).join(', ')}, …`
}

function countedNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The formats of several replies, such as those of one model. */
export interface IdentifiedReplies {
  /** The ids of the formats found for most of the replies; empty if no reply has a call. */
  readonly formats: readonly string[]
  /** The number of replies in these formats. */
  readonly replies: number
  readonly withCall: number
}

/** The formats found most often. A reply that fits several formats counts for each. */
export function mostOften(identified: readonly Pick<IdentifiedReply, 'formats'>[]): IdentifiedReplies {
  const counts = new Map<string, number>()
  for (const { formats } of identified) for (const id of formats) counts.set(id, (counts.get(id) ?? 0) + 1)
  const replies = Math.max(0, ...counts.values())
  return {
    formats: [...counts].filter(([, count]) => count === replies).map(([id]) => id),
    replies,
    withCall: identified.filter(({ formats }) => formats.length > 0).length,
  }
}
