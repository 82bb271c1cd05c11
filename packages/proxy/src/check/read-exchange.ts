import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import {
  apiOf,
  createEventReader,
  createReplyReader,
  DONE,
  isOfCalls,
  NoReply,
  projected,
  readReply,
} from '@callspec/apis'
import type { Api, ApiBreach, ApiLaw, ApiReply, ApiUsage, ReplyOptions, SentEvent, UsageParts } from '@callspec/apis'
import { CompletionError, createReplyCollector } from '@callspec/eval/replies'
import type { ReplyCollector } from '@callspec/eval/replies'
import type { RecordedExchange } from '../read/read-exchanges.ts'

/** The reasons why an exchange without an error status contains no readable reply, with their meanings. */
export const UNREAD_TEXTS = {
  'no-status': 'never came',
  'other-status': 'is a redirect, or has another status without a reply',
  packed: 'is compressed in an unknown way, or damaged',
  'too-large': 'has an event larger than any reply',
  part: 'is incomplete: it broke off, or was not recorded completely',
  empty: 'holds nothing',
  'no-json': 'is not JSON',
  'no-completion': 'is JSON, but not a chat or text completion',
} as const

/** One of `UNREAD_TEXTS`. */
export type UnreadCause = keyof typeof UNREAD_TEXTS

/** How many replies could not be read for one cause. */
export interface UnreadCount {
  readonly cause: UnreadCause
  readonly exchanges: number
  /** File and number of the first. */
  readonly first: string
}

/** Counts them, the most frequent cause first. */
export function createUnreadCounts(): {
  add(cause: UnreadCause, exchange: string): void
  end(): readonly UnreadCount[]
} {
  const counts = new Map<UnreadCause, UnreadCount>()
  return {
    add: (cause, exchange) => {
      const { exchanges, first } = counts.get(cause) ?? { exchanges: 0, first: exchange }
      counts.set(cause, { cause, exchanges: exchanges + 1, first })
    },
    end: () => [...counts.values()].toSorted((one, other) => other.exchanges - one.exchanges),
  }
}

/** What the reply of an exchange says, in every API alike. */
export interface ReadReply {
  readonly api: Api
  /** The parts: events of a stream without the mark of its end, or the one whole reply. */
  readonly events: readonly SentEvent[]
  readonly isStream: boolean
  readonly said: ReturnType<ReplyCollector['finish']>
  readonly breaches: readonly ApiBreach[]
  /** The error that the server reported in a reply, or null. */
  readonly error: string | null
}

/** Larger bodies are not unpacked: a few kilobytes may expand to gigabytes. */
const MOST_REPLY_BYTES = 64_000_000
const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** The reply of an exchange, or why it is missing: an error, a body that cannot be unpacked. Never throws. */
export function readExchangeReply({
  status,
  headers,
  chunks,
  how,
  lacks,
  path,
}: RecordedExchange): ReadReply | UnreadCause {
  if (status === null) return 'no-status'
  if (status < 200 || status >= 300) return 'other-status'
  const body = unpackedBody(Buffer.concat(chunks.map(({ bytes }) => bytes)), headers['content-encoding'] ?? 'identity')
  if (body === null) return 'packed'
  const isStream =
    (headers['content-type'] ?? '').includes('event-stream') || /^\s*(?:data|event):/.test(body.toString('utf8', 0, 64))
  const isWhole = how === 'complete' && lacks === null
  const text = isStream ? '' : body.toString('utf8')
  const events = isStream ? eventsIn(body, isWhole) : text.trim() === '' ? [] : [{ name: '', data: text }]
  if (events === null) return 'too-large'
  const api = apiOfPath(path) ?? apiOfEvents(events)
  // Logs of other programs often lack the names.
  const named = path === null && api !== 'chat' && events.every(({ name }) => name === '') ? withNames(events) : events
  const reply = replyOf(named, isStream, api)
  if (reply === null) return isWhole ? noReply(events) : 'part'
  // Logs of other programs often lack the mark of the end.
  const lacksEnd =
    api === 'chat' && isStream && path !== null && reply.error === null && !DONE_LINE.test(body.toString())
  return lacksEnd ? { ...reply, breaches: [...reply.breaches, NO_END] } : reply
}

const DONE_LINE = /^data: ?\[DONE\]\s*$/m
const NO_END: ApiBreach = { law: 'C8', weight: 'odd', event: 0, evidence: 'it is missing', times: 1 }

/** The API of a path; null if the path is not known. */
export function apiOfPath(path: string | null): Api | null {
  if (path === null) return null
  const [, end] = /\/(messages|responses)(?:\?|$)/.exec(path) ?? []
  return end === 'messages' || end === 'responses' ? end : 'chat'
}

function apiOfEvents(events: readonly SentEvent[]): Api {
  const [first] = events
  return (first === undefined ? null : apiOf(first.data)) ?? 'chat'
}

function withNames(events: readonly SentEvent[]): readonly SentEvent[] {
  return events.map(({ data }) => ({ name: typeIn(data), data }))
}

function typeIn(data: string): string {
  const value = jsonValue(data)
  const type: unknown = typeof value === 'object' && value !== null && 'type' in value ? value.type : ''
  return typeof type === 'string' ? type : ''
}

function noReply(events: readonly SentEvent[]): UnreadCause {
  if (events.length === 0) return 'empty'
  return events.every(({ data }) => jsonValue(data) === undefined) ? 'no-json' : 'no-completion'
}

/** The reply that the parts make; null if they make none. Never throws. */
export function replyOf(events: readonly SentEvent[], isStream: boolean, api: Api): ReadReply | null {
  return api === 'chat' ? chatReply(events, isStream) : otherReply(events, isStream, api)
}

function chatReply(events: readonly SentEvent[], isStream: boolean): ReadReply | null {
  const collector = createReplyCollector()
  const values = events.map(({ data }) => jsonValue(data))
  const error = collect(values, collector)
  if (!collector.hasBegun() && error === null) return null
  // Where the mark of the end is missing is known above.
  const ended = isStream ? [...events, { name: '', data: DONE }] : events
  const breaches = uncheckedBreaches(
    isStream ? streamedReply(ended, 'chat') : wholeReply(events[0]?.data ?? '', 'chat'),
  )
  return { api: 'chat', events, isStream, said: collector.finish(), breaches, error }
}

function collect(events: readonly unknown[], collector: ReplyCollector): string | null {
  for (const event of events) {
    try {
      collector.add(event, 0)
    } catch (error) {
      if (error instanceof CompletionError) return error.message
      throw error
    }
  }
  return null
}

function otherReply(events: readonly SentEvent[], isStream: boolean, api: Api): ReadReply | null {
  const reply = isStream ? streamedReply(events, api) : wholeReply(events[0]?.data ?? '', api)
  if (reply === null) return null
  const { items, finish, usage, parts, error, unknown } = reply
  const isReply = items.length > 0 || finish !== null || error !== null || (isStream && unknown < events.length)
  if (!isReply) return null
  const { reasoning, text, calls } = projected(items)
  const said = {
    ...{ id: '', text, reasoning, toolCalls: calls, finishReason: finish, warnings: [], chunks: [] },
    usage: usage === null ? null : usageFor(usage, parts),
  }
  return { api, events, isStream, said, breaches: uncheckedBreaches(reply), error }
}

/** Whether a call is left in a text has a check of its own. */
const UNCHECKED: ReplyOptions = { holdsCall: () => false }

/** These laws have checks of their own, which report more. */
const CHECKED: ReadonlySet<ApiLaw> = new Set(['C12', 'M18', 'R18'])

/** The breaches of a reply, without those that have a check of their own. None of JSON that is nested too deeply to be read. */
function uncheckedBreaches(reply: ApiReply | null): readonly ApiBreach[] {
  return (reply?.breaches ?? []).filter((breach) => !CHECKED.has(breach.law) && !isOfCalls(breach))
}

function streamedReply(events: readonly SentEvent[], api: Api): ApiReply {
  const reader = createReplyReader(api, UNCHECKED)
  for (const event of events) reader.add(event)
  return reader.end()
}

function wholeReply(text: string, api: Api): ApiReply | null {
  try {
    return readReply(text, api, UNCHECKED)
  } catch (error) {
    if (error instanceof NoReply) return null
    throw error
  }
}

function usageFor({ input, output }: ApiUsage, { cached, reasoning }: UsageParts): ReadReply['said']['usage'] {
  return {
    ...{ prompt: input ?? 0, completion: output ?? 0 },
    ...(cached === null ? {} : { cached }),
    ...(reasoning === null ? {} : { reasoning }),
  }
}

function unpackedBody(body: Buffer, encoding: string): Buffer | null {
  const unpack = UNPACK[encoding.trim().toLowerCase()]
  if (unpack === undefined) return encoding === 'identity' ? body : null
  try {
    return unpack(body, { maxOutputLength: MOST_REPLY_BYTES })
  } catch {
    return null
  }
}

/** The last event of a stream that broke off is incomplete. */
function eventsIn(body: Buffer, isWhole: boolean): readonly SentEvent[] | null {
  const reader = createEventReader()
  try {
    return [...reader.push(body), ...(isWhole ? reader.end() : [])].filter(
      ({ data }) => data !== '' && data.trim() !== DONE,
    )
  } catch {
    // An event larger than any reply.
    return null
  }
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
