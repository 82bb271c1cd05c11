import type { Api, ApiItem, ApiReply, ApiUsage } from '@callspec/apis'
import { eventsOf, NoReply, readReply } from '@callspec/apis'

/** A value of JSON. Streams are written from plain values: a call's arguments are text in them. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** A JSON map. */
export type JsonMap = Readonly<Record<string, Json>>

/** One event of a stream that a client receives. */
export type StreamEvent =
  | { readonly name: string; readonly data: JsonMap }
  /** Bytes as they are: `[DONE]`, or the beginning of an event that breaks off. */
  | { readonly raw: string }

/** How events are written as `text/event-stream`. */
export interface Framing {
  readonly lineEnd: '\n' | '\r\n' | '\r'
  readonly hasMark: boolean
  /** Whether a blank follows the colon of a field. */
  readonly hasBlank: boolean
  /** Whether a comment precedes every event. */
  readonly hasComments: boolean
  /** Whether every event has the fields `id` and `retry`. */
  readonly hasIds: boolean
  /** Whether the JSON of an event spreads over several `data` lines. */
  readonly isSpread: boolean
}

/** A reply without a spelling: the meaning of a stream. */
export interface SaidReply {
  readonly items: readonly ApiItem[]
  /** `stop`, `tool_calls`, `length`, or `stop_sequence`, which only messages have. */
  readonly finish: string
  readonly usage: ApiUsage
}

/** A stream as the server sends it. */
export interface ClientStream {
  readonly events: readonly StreamEvent[]
  readonly framing: Framing
  /** Which bytes are sent in one write: an event each, all, or a few, as `cuts` says. */
  readonly writes: 'event' | 'all' | 'cuts'
  /** Whether the connection is reset at the end, instead of closed. */
  readonly isReset: boolean
}

/** The usual framing. */
export const PLAIN_FRAMING: Framing = {
  ...{ lineEnd: '\n', hasMark: false, hasBlank: true, hasComments: false, hasIds: false, isSpread: false },
}

/** A stream of events in the usual framing. */
export function streamOf(events: readonly StreamEvent[]): ClientStream {
  return { events, framing: PLAIN_FRAMING, writes: 'event', isReset: false }
}

/** The text of each event, in order. */
export function framedEvents({ events, framing }: ClientStream): readonly string[] {
  return events.map((event, at) => `${at === 0 && framing.hasMark ? '\ufeff' : ''}${framed(event, framing)}`)
}

function framed(event: StreamEvent, { lineEnd, hasBlank, hasComments, hasIds, isSpread }: Framing): string {
  if ('raw' in event) return event.raw.replaceAll('\n', lineEnd)
  const field = (name: string, value: string): string => `${name}:${hasBlank ? ' ' : ''}${value}`
  const json = isSpread ? JSON.stringify(event.data, null, 1) : JSON.stringify(event.data)
  const lines = [
    ...(hasComments ? [': keep-alive', ''] : []),
    ...(hasIds ? [field('id', '7'), field('retry', '3000')] : []),
    ...(event.name === '' ? [] : [field('event', event.name)]),
    ...json.split('\n').map((line) => field('data', line)),
    ...['', ''],
  ]
  return lines.join(lineEnd)
}

/** The whole text of a stream. */
export function streamText(stream: ClientStream): string {
  return framedEvents(stream).join('')
}

/** How many pieces a stream is cut into at most: the server waits between them. */
const MOST_PIECES = 24

/** The bytes of a stream, in the pieces in which they are written. */
export function streamPieces(stream: ClientStream, random: Random): readonly Buffer[] {
  if (stream.writes === 'event') return framedEvents(stream).map((text) => Buffer.from(text))
  const bytes = Buffer.from(streamText(stream))
  if (stream.writes === 'all') return [bytes]
  const places = new Set(Array.from({ length: MOST_PIECES - 1 }, () => random.below(bytes.length + 1)))
  const cuts = [...places].toSorted((one, other) => one - other)
  return [0, ...cuts]
    .map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
    .filter(({ length }) => length > 0)
}

/** Numbers that are the same for the same seed. */
export interface Random {
  /** An integer from 0 to `limit - 1`; 0 for a limit of 0. */
  below(limit: number): number
}

/** Numbers drawn from a text: xorshift over its FNV-1a hash. */
export function randomOf(seed: string): Random {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193)
  state ||= 1
  return {
    below: (limit) => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return limit <= 0 ? 0 : (state >>> 0) % limit
    },
  }
}

/** What callspec reads of a stream; null where nothing of it is an event. */
export function ownReading(text: string, api: Api): ApiReply | null {
  try {
    eventsOf(text)
    return readReply(text, api, { holdsCall: () => false })
  } catch (error) {
    if (error instanceof NoReply) return null
    throw error
  }
}

/** The value at a path of members and indices; undefined without one. */
export function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  const [first, ...rest] = path
  if (first === undefined || value === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  return valueAt((value as Readonly<Record<string | number, Json>>)[first], rest)
}

/** The same value with another one at the path; undefined removes the member. Where the path leads nowhere, nothing changes. */
export function withValue<T extends Json>(value: T, path: readonly (string | number)[], to: Json | undefined): T {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return value
  const inner = (value as Readonly<Record<string | number, Json>>)[first]
  const next = rest.length === 0 || inner === undefined ? to : withValue(inner, rest, to)
  if (next === inner || (rest.length > 0 && inner === undefined)) return value
  if (Array.isArray(value)) return value.map((each: Json, at) => (at === first ? (next ?? null) : each)) as unknown as T
  const others = Object.fromEntries(Object.entries(value).filter(([member]) => member !== first || next !== undefined))
  return (next === undefined ? others : { ...others, [first]: next }) as T
}

/** Splits a text into pieces of `size` characters; an empty text has none. */
export function pieces(text: string, size: number): readonly string[] {
  const characters = [...text]
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  )
}
