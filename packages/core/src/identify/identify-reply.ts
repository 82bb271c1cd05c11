import type { ToolSpec } from '../format.ts'
import type { Format } from '../format/format.ts'
import { FORMATS } from '../formats/index.ts'
import { toolOf } from '../grammar/schemas.ts'
import { fromPlain, isDict, isList, strip } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { ReplyItem } from '../reply/item.ts'
import { examineReply } from './examine-reply.ts'
import type { Examined } from './examine-reply.ts'
import { explain, NO_CALL } from './explain.ts'
import { markerPlaces } from './marker-places.ts'

/** How well one format reads a reply. */
export interface RankedFormat {
  /** Its id. */
  readonly format: string
  /** From 0, for no call, to 1: calls of known names, no issue, nothing left over. */
  readonly score: number
  /** One sentence: the calls, the issues, the names and the text left over. */
  readonly why: string
}

/** Which format a reply is in. */
export interface IdentifiedReply {
  /** The ids of the formats that read it best, and alike to the item; empty where no format finds a call. */
  readonly formats: readonly string[]
  /** Every format, the best first. */
  readonly ranking: readonly RankedFormat[]
}

/** What is known besides the reply. */
export interface IdentifyOptions {
  /** The tools of the request, bare or wrapped. Default: none are known, and every name could be one of a tool. */
  readonly tools?: readonly ToolSpec[]
  /** The formats that are asked. Default: all. */
  readonly formats?: readonly Format[]
}

/**
 * Which format a reply is in, by how well every format reads it. Each reads it at most once.
 * Nothing that a model writes makes it throw.
 *
 * @throws InputError for tools that are no plain data
 */
export function identifyReply(text: string, { tools = [], formats = FORMATS }: IdentifyOptions = {}): IdentifiedReply {
  const list = fromPlain(tools, 'tools')
  const dicts = isList(list) ? list.filter(isDict) : []
  const request = { text, tools: dicts, names: namesOf(dicts), places: markerPlaces(text) }
  const examined: Examined[] = []
  const unread: RankedFormat[] = []
  for (const format of formats) {
    const each = examineReply(format, request)
    if (each === null) unread.push({ format: format.id, score: 0, why: NO_CALL })
    else examined.push(each)
  }
  examined.sort(better)
  const best = bestOf(examined)
  const answer = best === null ? [] : examined.filter((each) => isAlike(each, best))
  const others = examined.filter((each) => !answer.includes(each))
  const ranked = [...answer, ...others].map((each) => rankedFormat(each, request.names.size > 0))
  return { formats: answer.map(({ format }) => format.id), ranking: [...ranked, ...unread] }
}

function rankedFormat(examined: Examined, hasTools: boolean): RankedFormat {
  const { format, score } = examined
  return { format: format.id, score: Math.round(score * 1000) / 1000, why: explain(examined, { hasTools }) }
}

function namesOf(tools: readonly PyDict[]): ReadonlySet<string> {
  return new Set(tools.map((tool) => toolOf(tool)?.get('name')).filter((name) => typeof name === 'string'))
}

/** Where no call was found, the format comes first of whose calls most stands there. */
function better(one: Examined, other: Examined): number {
  return other.score - one.score || other.broken - one.broken
}

/**
 * The first that finds a call. A call without a name that could be one is more likely a broken one of a format in which it
 * begins, and cannot be read.
 */
function bestOf(examined: readonly Examined[]): Examined | null {
  const [best] = examined
  if (best === undefined || best.score === 0) return null
  return best.named > 0 || !examined.some(({ broken }) => broken > 0) ? best : null
}

/** Whether two formats say the same of a reply: texts up to the white space around them, calls to the letter. */
function isAlike(one: Examined, other: Examined): boolean {
  if (one === other) return true
  if (one.calls.length !== other.calls.length || one.harms.length !== other.harms.length) return false
  const [items, others] = [saidIn(one.items), saidIn(other.items)]
  return items.length === others.length && items.every((item, index) => isSame(item, others[index]))
}

function saidIn(items: readonly ReplyItem[]): readonly ReplyItem[] {
  return items.filter((item) => item.kind === 'call' || (item.kind !== 'issue' && strip(item.text) !== ''))
}

function isSame(one: ReplyItem, other: ReplyItem | undefined): boolean {
  if (one.kind === 'call')
    return other?.kind === 'call' && one.name === other.name && one.id === other.id && one.arguments === other.arguments
  if (one.kind === 'issue' || other === undefined || other.kind === 'issue' || other.kind === 'call') return false
  return one.kind === other.kind && strip(one.text) === strip(other.text)
}
