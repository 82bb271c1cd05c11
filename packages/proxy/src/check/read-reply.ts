import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { CompletionError, createEventReader, createReplyCollector, createStreamWatch } from '@callspec/eval/reply-parts'
import type { Breach, ReplyCollector } from '@callspec/eval/reply-parts'
import type { RecordedExchange } from '../read/recorded-exchange.ts'
import type { UnreadCause } from './unread.ts'

/** What a recorded reply comes to. */
export interface ReadReply {
  /** The parts as JSON: events of a stream, or the one whole reply; undefined for one that is no JSON. */
  readonly events: readonly unknown[]
  readonly isStream: boolean
  readonly said: ReturnType<ReplyCollector['finish']>
  readonly breaches: readonly Breach[]
  /** What the server reported as an error in a stream; null for none. */
  readonly error: string | null
}

/** More is not unpacked: a few kilobytes may hold gigabytes. */
const MOST_BYTES = 64_000_000
const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** The reply of an exchange, or why it holds none: an error, a body that cannot be unpacked. Never throws. */
export function readReply({ status, headers, chunks, how, lacks }: RecordedExchange): ReadReply | UnreadCause {
  if (status === null) return 'no-status'
  if (status < 200 || status >= 300) return 'other-status'
  const body = unpacked(Buffer.concat(chunks.map(({ bytes }) => bytes)), headers['content-encoding'] ?? 'identity')
  if (body === null) return 'packed'
  const isStream =
    (headers['content-type'] ?? '').includes('event-stream') || /^\s*data:/.test(body.toString('utf8', 0, 64))
  const isWhole = how === 'complete' && lacks === null
  const text = isStream ? '' : body.toString('utf8')
  const events = isStream ? eventsIn(body, isWhole) : text.trim() === '' ? [] : [parsed(text)]
  if (events === null) return 'too-large'
  return replyOf(events, isStream) ?? (isWhole ? noReply(events) : 'part')
}

function noReply(events: readonly unknown[]): UnreadCause {
  if (events.length === 0) return 'empty'
  return events.every((event) => event === undefined) ? 'no-json' : 'no-completion'
}

/** What the parts of a reply come to; null for no reply. Never throws. */
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

function unpacked(body: Buffer, encoding: string): Buffer | null {
  const unpack = UNPACK[encoding.trim().toLowerCase()]
  if (unpack === undefined) return encoding === 'identity' ? body : null
  try {
    return unpack(body, { maxOutputLength: MOST_BYTES })
  } catch {
    return null
  }
}

/** Of a stream that broke off the last event is half of one. */
function eventsIn(body: Buffer, isWhole: boolean): readonly unknown[] | null {
  const reader = createEventReader()
  try {
    return [...reader.push(body), ...(isWhole ? reader.end() : [])]
      .filter((data) => data !== '' && data.trim() !== '[DONE]')
      .map(parsed)
  } catch {
    // An event larger than any reply.
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
