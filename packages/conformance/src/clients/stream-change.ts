import type { Api, ApiLaw } from '@callspec/apis'
import type { ClientStream, Json, JsonMap, Random, SaidReply, StreamEvent } from './client-stream.ts'
import { PLAIN_FRAMING, valueAt, withValue } from './client-stream.ts'

/**
 * What a change leaves of the meaning. `sound`: no law is broken, so the client gives the reply. `readable`: a law is broken, but
 * the reply can still be known, so it gives that or an error. `lost`: it cannot be known, so it gives an error, or no finish.
 */
export type ChangeKind = 'sound' | 'readable' | 'lost'

/** The stream of a reply, before it is changed. */
export interface Draft {
  readonly api: Api
  readonly reply: SaidReply
  readonly events: readonly StreamEvent[]
}

/** What a change makes of a draft: the members that it changes. */
export interface Changed extends Partial<ClientStream> {
  /** Where the reply says something else now: its usage, or its finish. */
  readonly said?: { readonly usage?: null; readonly finish?: string }
}

/** One way in which a stream differs from the usual one. */
export interface StreamChange {
  readonly id: string
  readonly kind: ChangeKind
  /** Part of a sentence: `a client reads a stream with …`. */
  readonly about: string
  /** The laws that it breaks. */
  readonly laws: readonly ApiLaw[]
  /** How many characters a piece of a text has. Default: 2 to 7, by the seed. */
  readonly size?: number
  /** What is not compared, as the stream leaves it open. */
  readonly open: readonly ('ids' | 'finish')[]
  /** Whether arguments that are no JSON may be given as they came: the caller sees that they are broken. */
  readonly showsArguments: boolean
  /** null where it cannot be made of this draft. */
  readonly apply: (draft: Draft, random: Random) => Changed | null
}

/** A change that draws no number. */
export type DraftChange = (draft: Draft) => Changed | null

type Details = Partial<Pick<StreamChange, 'size' | 'open' | 'showsArguments'>>

/** A change that breaks no law. */
export function sound(id: string, about: string, apply: StreamChange['apply'], details: Details = {}): StreamChange {
  return { ...{ id, kind: 'sound', about, laws: [], open: [], showsArguments: false, apply }, ...details }
}

/** A change that breaks a law, while the reply can be known. */
export function readable(
  laws: string,
  id: string,
  about: string,
  apply: StreamChange['apply'],
  details: Details = {},
): StreamChange {
  return { ...sound(id, about, apply, details), kind: 'readable', laws: lawsIn(laws) }
}

/** A change after which the reply cannot be known. */
export function lost(
  laws: string,
  id: string,
  about: string,
  apply: StreamChange['apply'],
  details: Details = {},
): StreamChange {
  return { ...sound(id, about, apply, details), kind: 'lost', laws: lawsIn(laws) }
}

/** Arguments without their first or their last piece. */
export function piecesLost(law: string, isPiece: (event: StreamEvent) => boolean): readonly StreamChange[] {
  const ends = [
    ['first', (events: readonly StreamEvent[]): number => events.findIndex(isPiece)],
    ['last', (events: readonly StreamEvent[]): number => events.findLastIndex(isPiece)],
  ] as const
  return ends.map(([end, placeIn]) =>
    lost(
      law,
      `${end}-piece-lost`,
      `arguments without their ${end} piece`,
      ifArguments(unlessCut((draft) => without(draft, placeIn(draft.events)))),
      { showsArguments: true, size: 5 },
    ),
  )
}

function lawsIn(laws: string): readonly ApiLaw[] {
  return laws.split(' ').filter((law) => law !== '') as readonly ApiLaw[]
}

/** An event that is cut inside its JSON, between two others. */
export function cutJson(law: string, head: string): StreamChange {
  return readable(law, 'cut-json', 'an event whose JSON is cut', (draft, random) =>
    inserted(draft, 1 + random.below(draft.events.length - 2), [{ raw: `${head}data: {"type": "content\n\n` }]),
  )
}

/** The path of a member. */
export type Path = readonly (string | number)[]

/** The data of an event; null of one that is raw. */
export function dataOf(event: StreamEvent | undefined): JsonMap | null {
  return event === undefined || 'raw' in event ? null : event.data
}

/** The value at a path of an event's data. */
export function memberOf(event: StreamEvent | undefined, path: Path): Json | undefined {
  return valueAt(dataOf(event) ?? undefined, path)
}

/** An event with another value at a path; undefined removes it. The same event where that changes nothing. */
export function withMember(event: StreamEvent, path: Path, value: Json | undefined): StreamEvent {
  if ('raw' in event) return event
  const data = withValue(event.data, path, value)
  return data === event.data ? event : { ...event, data }
}

/** An event with JSON at a path, as it is written where JavaScript would lose digits of its numbers. */
export function withJson(event: StreamEvent, path: Path, json: string): StreamEvent {
  if ('raw' in event || !/\d{16}/.test(json)) return withMember(event, path, JSON.parse(json) as Json)
  const mark = '(the JSON)'
  const data = JSON.stringify(withValue(event.data, path, mark)).replace(JSON.stringify(mark), () => json)
  return { raw: `${event.name === '' ? '' : `event: ${event.name}\n`}data: ${data}\n\n` }
}

/** The places of the events that fulfil a condition. */
export function placesOf(events: readonly StreamEvent[], isWanted: (event: StreamEvent) => boolean): readonly number[] {
  return events.flatMap((event, at) => (isWanted(event) ? [at] : []))
}

/** Whether the value at a path is a text or a map, an int or a list: anything but absent. */
export function has(path: Path): (event: StreamEvent) => boolean {
  return (event) => memberOf(event, path) !== undefined
}

/** Every event changed, left out (`[]`) or replaced by several; null where that changes nothing. */
export function mapped(
  { events }: Pick<Draft, 'events'>,
  change: (event: StreamEvent, at: number) => StreamEvent | readonly StreamEvent[],
): { readonly events: readonly StreamEvent[] } | null {
  const made = events.flatMap(change)
  const isSame = made.length === events.length && made.every((event, at) => event === events[at])
  return isSame ? null : { events: made }
}

/** One of the places, drawn. */
export function oneOf(places: readonly number[], random: Random): number {
  return places[random.below(places.length)] ?? -1
}

/** The events without those at a place; null for a place that is not there. */
export function without({ events }: Pick<Draft, 'events'>, place: number): Changed | null {
  return place < 0 ? null : { events: events.toSpliced(place, 1) }
}

/** The events with more of them at a place. */
export function inserted(
  { events }: Pick<Draft, 'events'>,
  place: number,
  more: readonly StreamEvent[],
): Changed | null {
  return place < 0 ? null : { events: events.toSpliced(place, 0, ...more) }
}

/** Sets a member of the data of every event that fulfils a condition. */
export function setting(
  path: Path,
  value: Json | undefined,
  isWanted: (event: StreamEvent) => boolean = () => true,
): DraftChange {
  return (draft) => mapped(draft, (event) => (isWanted(event) ? withMember(event, path, value) : event))
}

/** How many calls the reply has. */
export function callsIn({ reply }: Draft): number {
  return reply.items.filter(({ kind }) => kind === 'call').length
}

/** Makes the change only of replies with so many items, and so many calls among them. */
export function ifItems(
  { items = 0, calls = 0 }: { readonly items?: number; readonly calls?: number },
  apply: StreamChange['apply'],
): StreamChange['apply'] {
  return (draft, random) => (draft.reply.items.length < items || callsIn(draft) < calls ? null : apply(draft, random))
}

/** Makes the change only of replies with a call that has arguments: without, nothing says as much as an empty map. */
export function ifArguments(apply: StreamChange['apply']): StreamChange['apply'] {
  const isFull = ({ reply }: Draft): boolean =>
    reply.items.some((item) => item.kind === 'call' && item.arguments !== '{}')
  return (draft, random) => (isFull(draft) ? apply(draft, random) : null)
}

/** Makes the change only of replies that the limit has not cut. */
export function unlessCut(apply: StreamChange['apply']): StreamChange['apply'] {
  return (draft, random) => (draft.reply.finish === 'length' ? null : apply(draft, random))
}

function framed(id: string, about: string, framing: Partial<ClientStream['framing']>): StreamChange {
  return sound(id, about, () => ({ framing: { ...PLAIN_FRAMING, ...framing } }))
}

/** Changes of the bytes that carry the events: none of them is one of the meaning. */
export const FRAMING_CHANGES: readonly StreamChange[] = [
  sound('plain', 'nothing changed', () => ({})),
  sound('whole-texts', 'every text in one piece', () => ({}), { size: 100_000 }),
  sound('single-characters', 'a character in each piece', () => ({}), { size: 1 }),
  sound('cut-anywhere', 'writes that end anywhere, also inside a character', () => ({ writes: 'cuts' })),
  sound('one-write', 'all events in one write', () => ({ writes: 'all' })),
  framed('crlf', 'lines that end with CR LF', { lineEnd: '\r\n' }),
  framed('cr', 'lines that end with CR', { lineEnd: '\r' }),
  framed('byte-order-mark', 'a byte order mark', { hasMark: true }),
  framed('no-blank', 'no blank after "data:"', { hasBlank: false }),
  framed('comments', 'comments between the events, as keep-alive', { hasComments: true }),
  framed('ids', 'the fields id and retry', { hasIds: true }),
  framed('spread-data', 'JSON over several data lines', { isSpread: true }),
]

/** The ends of a stream that was broken off before its end. `isEnd`: the first event that says how it ended. */
export function brokenOff(laws: string, isEnd: (event: StreamEvent) => boolean): readonly StreamChange[] {
  const place = ({ events }: Draft, random: Random): number => {
    const end = events.findIndex(isEnd)
    return end < 2 ? -1 : 1 + random.below(end - 1)
  }
  const cut = (draft: Draft, random: Random): readonly StreamEvent[] | null => {
    const at = place(draft, random)
    return at < 0 ? null : draft.events.slice(0, at)
  }
  return [
    lost(laws, 'ends-early', 'an end before the reply is over', (draft, random) => changedTo(cut(draft, random))),
    lost(laws, 'ends-in-an-event', 'an end inside an event', (draft, random) => {
      const events = cut(draft, random)
      return events === null ? null : { events: [...events, { raw: 'data: {"type": "' }] }
    }),
    lost(laws, 'reset', 'a connection that is reset', (draft, random) => {
      const events = cut(draft, random)
      return events === null ? null : { events, isReset: true }
    }),
  ]
}

function changedTo(events: readonly StreamEvent[] | null): Changed | null {
  return events === null ? null : { events }
}
