import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { createEventReader, DONE } from '@callspec/apis'
import { canonicalJson, CompletionError, createReplyCollector, createStreamWatch, sha256 } from '@callspec/eval/replies'
import type { Breach, ReplyCollector } from '@callspec/eval/replies'
import type { RecordedExchange } from '../read/read-exchanges.ts'

/** The parts of a request that a check uses. */
export interface ChatQuestion {
  /** Equal for the same request, whole or streamed; null if the answer is random. */
  readonly key: string | null
  /** The required members of each tool, by its name. */
  readonly required: ReadonlyMap<string, readonly string[]>
  /** Whether `tool_choice` asks for a call, so that a reply without one is wrong. */
  readonly forcesCall: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** Null for a body that is no JSON map. */
export function readQuestion(body: Buffer | null): ChatQuestion | null {
  const value = body === null ? null : fieldsIn(body)
  if (value === null) return null
  const { stream: _stream, stream_options: _options, ...asked } = value
  return {
    key: asked['temperature'] === 0 ? sha256(canonicalJson(asked)) : null,
    required: requiredIn(asked['tools']),
    forcesCall: forcesCall(asked['tool_choice']),
  }
}

function fieldsIn(body: Buffer): Fields | null {
  try {
    return fields(JSON.parse(body.toString('utf8')))
  } catch {
    return null
  }
}

/** `any` is what Mistral calls `required`. */
function forcesCall(choice: unknown): boolean {
  return choice === 'required' || choice === 'any' || fields(fields(choice)?.['function']) !== null
}

function requiredIn(tools: unknown): ReadonlyMap<string, readonly string[]> {
  const rows: readonly unknown[] = Array.isArray(tools) ? tools : []
  return new Map(
    rows.flatMap((row) => {
      const tool = fields(fields(row)?.['function'])
      const name = tool?.['name']
      const required = fields(tool?.['parameters'])?.['required']
      if (typeof name !== 'string' || !Array.isArray(required)) return []
      return [[name, required.filter((member) => typeof member === 'string')] as const]
    }),
  )
}

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

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

export interface ReadReply {
  /** The parts as JSON: events of a stream, or the one whole reply; undefined for a part that is not JSON. */
  readonly events: readonly unknown[]
  readonly isStream: boolean
  readonly said: ReturnType<ReplyCollector['finish']>
  readonly breaches: readonly Breach[]
  /** The error that the server reported in a stream, or null. */
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
export function readExchangeReply({ status, headers, chunks, how, lacks }: RecordedExchange): ReadReply | UnreadCause {
  if (status === null) return 'no-status'
  if (status < 200 || status >= 300) return 'other-status'
  const body = unpackedBody(Buffer.concat(chunks.map(({ bytes }) => bytes)), headers['content-encoding'] ?? 'identity')
  if (body === null) return 'packed'
  const isStream =
    (headers['content-type'] ?? '').includes('event-stream') || /^\s*data:/.test(body.toString('utf8', 0, 64))
  const isWhole = how === 'complete' && lacks === null
  const text = isStream ? '' : body.toString('utf8')
  const events = isStream ? eventsIn(body, isWhole) : text.trim() === '' ? [] : [jsonValue(text)]
  if (events === null) return 'too-large'
  return replyOf(events, isStream) ?? (isWhole ? noReply(events) : 'part')
}

function noReply(events: readonly unknown[]): UnreadCause {
  if (events.length === 0) return 'empty'
  return events.every((event) => event === undefined) ? 'no-json' : 'no-completion'
}

/** The reply that the parts make; null if they make none. Never throws. */
export function replyOf(events: readonly unknown[], isStream: boolean): ReadReply | null {
  const watch = createStreamWatch()
  const collector = createReplyCollector()
  const error = isStream ? collect(events, collector, watch.add) : collect(events, collector)
  const isReply = collector.hasBegun() || error !== null
  return isReply ? { events, isStream, said: collector.finish(), breaches: isStream ? watch.end() : [], error } : null
}

function collect(
  events: readonly unknown[],
  collector: ReplyCollector,
  look?: (event: unknown) => void,
): string | null {
  for (const event of events) {
    look?.(event)
    try {
      collector.add(event, 0)
    } catch (error) {
      if (error instanceof CompletionError) return error.message
      throw error
    }
  }
  return null
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
function eventsIn(body: Buffer, isWhole: boolean): readonly unknown[] | null {
  const reader = createEventReader()
  try {
    return [...reader.push(body), ...(isWhole ? reader.end() : [])]
      .filter(({ data }) => data !== '' && data.trim() !== DONE)
      .map(({ data }) => jsonValue(data))
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
