import { dumps, fromPlain, standardKind } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { dictOf, dictOr, indexOr, textOr } from './events.ts'
import type { ApiBreach, Breaches } from './breaches.ts'
import type { ApiLaw } from './laws.ts'

/** A piece of a reply, as every API can say it. `arguments` is JSON, in the spelling of the server where the API keeps it. */
export type ApiItem =
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }

/** Tokens, as far as the server counted them. Messages count cached tokens apart: here they are part of `input`. */
export interface ApiUsage {
  readonly input: number | null
  readonly output: number | null
}

/** Parts of the usage, as far as the server says: tokens of the input that its cache had, and of the output that are reasoning. */
export interface UsageParts {
  readonly cached: number | null
  readonly reasoning: number | null
}

/** What a transcript says, and which laws it breaks. */
export interface ApiReply {
  /** Of the reply, and the model's name in it; null if the server gives none. */
  readonly id: string | null
  readonly model: string | null
  /** In the order of the reply; chat has none, so reasoning comes before text, and text before calls. Empty texts are left out. */
  readonly items: readonly ApiItem[]
  /** `stop`, `tool_calls`, `length`, `stop_sequence`; another word of the server as it is; null if none came. */
  readonly finish: string | null
  readonly usage: ApiUsage | null
  readonly parts: UsageParts
  /** The error that the server reported inside the reply, or null. */
  readonly error: string | null
  readonly breaches: readonly ApiBreach[]
  /** How many events are of types that the API does not have. They are ignored, as clients do. */
  readonly unknown: number
}

/** What a reader of transcripts needs from above. */
export interface ReplyOptions {
  /** Whether a text holds a call that the server did not read (laws C12, M18, R18). */
  readonly holdsCall: (text: string) => boolean
}

/** A reply without white space or order that an API cannot keep: what can be compared between APIs. */
export interface ProjectedReply {
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly Extract<ApiItem, { readonly kind: 'call' }>[]
}

/** All reasoning joined, all text joined, the calls in order. */
export function projected(items: readonly ApiItem[]): ProjectedReply {
  const joined = (kind: 'reasoning' | 'text'): string =>
    items.flatMap((item) => (item.kind === kind ? item.text : [])).join('')
  return {
    reasoning: joined('reasoning'),
    text: joined('text'),
    calls: items.filter((item) => item.kind === 'call'),
  }
}

/** A call, or a text that is not empty. */
export function isSaid(item: ApiItem): boolean {
  return item.kind === 'call' || item.text !== ''
}

/** Id and model in the member that has both. */
export function headOf(head: PyDict | null | undefined): Pick<ApiReply, 'id' | 'model'> {
  return { id: textOr(head?.get('id')) || null, model: textOr(head?.get('model')) || null }
}

/** Counts of tokens under the given names; null without any. Several names are added up. */
export function usageOf(
  usage: PyDict | null,
  names: Readonly<Record<'input' | 'output', readonly string[]>>,
): ApiUsage | null {
  if (usage === null) return null
  const sum = (members: readonly string[]): number | null => {
    const counts = members.flatMap((member) => indexOr(usage.get(member)) ?? [])
    return counts.length === 0 ? null : counts.reduce((one, other) => one + other, 0)
  }
  const [input, output] = [sum(names.input), sum(names.output)]
  return input === null && output === null ? null : { input, output }
}

/** The parts of a usage in which they are members of members. */
export function usageParts(usage: PyDict | null, input: string, output: string): UsageParts {
  const cached = dictOr(usage?.get(input))?.get('cached_tokens')
  const reasoning = dictOr(usage?.get(output))?.get('reasoning_tokens')
  return { cached: indexOr(cached), reasoning: indexOr(reasoning) }
}

/** Arguments that came as a value instead of a text. */
export function spelled(value: PyValue | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : dumps(value)
}

/** The message of an error that a server put into a reply. */
export function errorText(error: PyValue | undefined): string {
  const message = dictOr(error)?.get('message') ?? error
  return typeof message === 'string' ? message : dumps(message ?? fromPlain(null))
}

/** Whether a piece begins or ends inside a character, or holds half of one. */
export function cutsCharacter(piece: string): boolean {
  return /[\ud800-\udfff]/u.test(piece)
}

/**
 * Whether a text holds a call that was not read: one of a format, or the bare arguments of a call that the finish reason announces.
 *
 * @param isAnnounced whether a call is announced and missing
 */
export function leavesCall(text: string, isAnnounced: boolean, { holdsCall }: ReplyOptions): boolean {
  return (isAnnounced && standardKind(text) === 'object') || holdsCall(text)
}

/** The ids that several calls bear, each once. */
export function repeated(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return [...new Set(ids.filter((id) => id !== '' && seen.size === seen.add(id).size))]
}

/** Where a law is judged. */
export interface EventPlace {
  readonly breaches: Breaches
  /** Number of the event, from 1; 0 for a whole reply, and at the end. */
  readonly event: number
}

/** The JSON object in the data of an event, or null. What a JavaScript client cannot read is noted: also `NaN`, which Python reads. */
export function readEvent(data: string, law: ApiLaw, { breaches, event }: EventPlace): PyDict | null {
  const value = dictOf(data)
  // In nothing else do they differ.
  const mayDiffer = data.includes('NaN') || data.includes('Infinity')
  if (value === null || (mayDiffer && standardKind(data) !== 'object'))
    breaches.add(law, event, `it is ${JSON.stringify(data.slice(0, 40))}`)
  return value
}

/** Notes a piece with U+FFFD: bytes were lost. */
export function judgeLostBytes(piece: string, law: ApiLaw, { breaches, event }: EventPlace): void {
  if (piece.includes('\ufffd')) breaches.add(law, event, 'a text has it')
}

/** Notes U+FFFD that no piece brought: in a whole reply, or in the last event alone. */
export function judgeItems(items: readonly ApiItem[], law: ApiLaw, breaches: Breaches): void {
  if (breaches.has(law)) return
  for (const item of items) {
    const text = item.kind === 'call' ? item.arguments : item.text
    judgeLostBytes(text, law, { breaches, event: 0 })
  }
}
