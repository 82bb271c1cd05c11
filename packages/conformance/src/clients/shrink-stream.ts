import type { ApiItem, ApiReply } from '@callspec/apis'
import { projected } from '@callspec/apis'
import type { ClientCase } from './client-cases.ts'
import { clientCase } from './client-cases.ts'
import type { Json, SaidReply, StreamEvent } from './client-stream.ts'
import { ownReading, streamText } from './client-stream.ts'
import type { ClientVerdict } from './judge-client.ts'
import { recordedCase } from './recorded-stream.ts'
import type { Path } from './stream-change.ts'
import { withMember } from './stream-change.ts'

/** Asks the client about a stream. */
export type AskClient = (item: ClientCase) => Promise<ClientVerdict>

/** A stream that fails, and how. */
export interface FailingCase {
  readonly item: ClientCase
  readonly verdict: Extract<ClientVerdict, { readonly kind: 'failed' }>
}

/** The smallest stream that fails alike. */
export interface SmallestStream extends FailingCase {
  /** Whether the text of the stream alone fails, too: without its writes, and how its connection ends. */
  readonly isText: boolean
}

/** How often a client is asked for one smallest stream at most. */
const MOST_QUESTIONS = 150

/**
 * Makes a failing stream smaller while it fails alike: a shorter reply, in fewer pieces, with fewer events and members. What callspec reads of
 * it, and which laws it breaks, stays of the same kind.
 */
export async function smallestStream(start: FailingCase, ask: AskClient): Promise<SmallestStream> {
  let left = MOST_QUESTIONS
  let best = start
  const tries = async (item: ClientCase | null): Promise<boolean> => {
    if (item === null || left === 0) return false
    left -= 1
    const verdict = await ask(item)
    if (verdict.kind !== 'failed' || !isAlike(verdict, start.verdict)) return false
    best = { item, verdict }
    return true
  }
  const isSmaller = async (candidates: Iterable<ClientCase | null>): Promise<boolean> => {
    for (const item of candidates) if (await tries(item)) return true
    return false
  }
  while (await isSmaller(smallerReplies(best.item))) continue
  for (const path of sparePaths(best.item.stream.events))
    await tries(changedEvents(best.item, (events) => events.map((event) => withMember(event, path, undefined))))
  for (let at = best.item.stream.events.length - 1; at >= 0; at -= 1)
    await tries(changedEvents(best.item, (events) => events.toSpliced(at, 1)))
  const { item } = best
  const text = recordedCase(item.id, streamText(item.stream), item.api)
  const verdict = text === null ? null : await ask(text)
  const isText = verdict?.kind === 'failed' && (verdict.fault === best.verdict.fault || best.verdict.fault === 'missed')
  return { ...best, isText }
}

function isAlike(one: FailingCase['verdict'], other: FailingCase['verdict']): boolean {
  return one.fault === other.fault && one.part === other.part && one.got === other.got
}

/** Whether callspec's reader sees what the change promises. */
function isAsPromised({ change, stream, api }: ClientCase): boolean {
  const reading = ownReading(streamText(stream), api)
  const laws = (reading?.breaches ?? []).map(({ law }) => law)
  if (change.kind === 'lost') return change.laws.every((law) => laws.includes(law))
  return laws.join(' ') === change.laws.join(' ')
}

/** The same change of replies that say less, in few pieces. */
function* smallerReplies({ api, change, said, seed }: ClientCase): Iterable<ClientCase | null> {
  const reply: SaidReply = { ...said, usage: said.usage ?? { input: 20, output: 7 } }
  if (change.id === 'recorded') return
  const first = seed.slice(0, seed.indexOf(' '))
  const name = seed.split('/')[1] ?? ''
  const made = (smaller: SaidReply, size = change.size): ClientCase | null => {
    const request = {
      api,
      name,
      reply: smaller,
      seed: first,
      change: size === undefined ? change : { ...change, size },
    }
    const item = clientCase(request)
    return item === null || !isAsPromised(item) ? null : item
  }
  if (change.size === undefined) yield made(reply, 100_000)
  for (const [at, item] of reply.items.entries()) {
    const rest = reply.items.toSpliced(at, 1)
    const hasCall = rest.some(({ kind }) => kind === 'call')
    yield made({ ...reply, items: rest, finish: reply.finish === 'tool_calls' && !hasCall ? 'stop' : reply.finish })
    for (const smaller of smallerItems(item)) yield made({ ...reply, items: reply.items.with(at, smaller) })
  }
}

function* smallerItems(item: ApiItem): Iterable<ApiItem> {
  if (item.kind !== 'call') {
    const half = halfOf(item.text)
    if (half !== item.text) yield { ...item, text: half }
    return
  }
  // Arguments that are cut are short, and say what was cut.
  const candidates = item.arguments.endsWith('}') ? ['{}', '{"a": 1}'] : []
  for (const args of candidates) if (args.length < item.arguments.length) yield { ...item, arguments: args }
}

function halfOf(text: string): string {
  const characters = [...text]
  return characters.slice(0, Math.ceil(characters.length / 2)).join('')
}

/** A stream with other events; null if callspec reads something else in it, or nothing changed. */
function changedEvents(
  item: ClientCase,
  change: (events: readonly StreamEvent[]) => readonly StreamEvent[],
): ClientCase | null {
  const { events } = item.stream
  const next = change(events)
  if (next.length === events.length && next.every((event, at) => event === events[at])) return null
  const candidate = { ...item, stream: { ...item.stream, events: next } }
  return readingKey(candidate) === readingKey(item) ? candidate : null
}

function readingKey({ stream, api }: ClientCase): string {
  const reading = ownReading(streamText(stream), api)
  return reading === null ? '' : keyOf(reading)
}

function keyOf({ items, finish, usage, error, breaches }: ApiReply): string {
  return JSON.stringify([projected(items), finish, usage, error, breaches.map(({ law }) => law)])
}

/** Members that a stream can lack: without any other a reader could call it malformed. */
const SPARE: ReadonlySet<string> = new Set([
  ...['logprobs', 'system_fingerprint', 'prompt_tokens_details', 'completion_tokens_details'],
  ...['stop_sequence', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
  ...['error', 'incomplete_details', 'instructions', 'max_output_tokens', 'parallel_tool_calls'],
  ...['previous_response_id', 'temperature', 'text', 'tool_choice', 'tools', 'top_p', 'truncation', 'metadata'],
  ...['annotations', 'input_tokens_details', 'output_tokens_details'],
])

/** The paths of all spare members. */
function sparePaths(events: readonly StreamEvent[]): readonly Path[] {
  const paths = new Map<string, Path>()
  const visit = (value: Json, path: Path): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [member, inner] of Object.entries(value)) {
      const own = [...path, Array.isArray(value) ? Number(member) : member]
      // Below a response, `text` is how to write it; elsewhere it is content.
      const isSpare = SPARE.has(member) && (member !== 'text' || path.at(-1) === 'response')
      if (isSpare) paths.set(own.join(' '), own)
      else visit(inner, own)
    }
  }
  for (const event of events) if (!('raw' in event)) visit(event.data, [])
  return [...paths.values()]
}
