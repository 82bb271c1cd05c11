import { API_LAWS } from '@callspec/apis'
import type { Api, SentEvent } from '@callspec/apis'
import { formatNamed } from '@callspec/core'
import type { Format, ReplyItem } from '@callspec/core'
import { identifiedFrom, leftCallIn } from '@callspec/eval/replies'
import { shrinkSample } from '@callspec/fuzz'
import { RECORD_VERSION } from '../record/record-line.ts'
import type { RecordLine } from '../record/record-line.ts'
import { checkExchange } from './check-exchange.ts'
import type { TrafficCheck } from './check-exchange.ts'
import type { TrafficExample, TrafficReport } from './check-traffic.ts'
import { replyOf } from './read-exchange.ts'
import type { ReadReply } from './read-exchange.ts'

/** The events as they came, and the mark that ends chat streams. */
function logOf({ events, api }: Pick<ReadReply, 'events' | 'api'>): string {
  const lines = events.map(({ name, data }) => `${name === '' ? '' : `event: ${name}\n`}${dataLines(data)}\n\n`)
  return `${lines.join('')}${api === 'chat' ? 'data: [DONE]\n\n' : ''}`
}

function dataLines(data: string): string {
  return data
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')
}

/** A file that reproduces a finding. */
export interface MadeCase {
  /** Its name, without a folder. */
  readonly file: string
  readonly text: string
}

/**
 * Makes a case of the first example of every finding that can be reproduced without the server. A call that was left in
 * a text becomes a question to a parser of its format; everything else becomes a log or a recording for another check,
 * with as few events as reproduce the finding.
 */
export function makeCases({ checks }: TrafficReport): readonly MadeCase[] {
  return checks.flatMap(({ check, examples }) => {
    const questions = check === 'call-in-text' || check === 'call-in-thought' ? callCases(check, examples) : []
    if (questions.length > 0) return questions
    const [example] = examples
    const made = example === undefined ? null : caseOf(check, example)
    return made === null ? [] : [made]
  })
}

function caseOf(check: TrafficCheck, example: TrafficExample): MadeCase | null {
  const { reply, question, other } = example
  if (check === 'stream-differs') {
    // Two replies always differ when a part of one is left out, so they are not shortened.
    const pair = other === null ? [] : [other, reply]
    return pair.length === 0 ? null : { file: `${check}.traffic`, text: recordingOf(pair, { temperature: 0 }) }
  }
  const smallest = shrinkReply(check, example)
  if (smallest === null) return null
  if (smallest.isStream && check !== 'arguments-swallowed') return { file: `${check}.sse`, text: logOf(smallest) }
  const called = new Set(reply.said.toolCalls.map(({ name }) => name))
  const tools = [...(question?.required ?? [])]
    .filter(([name]) => called.has(name))
    .map(([name, required]) => toolFor(reply.api, name, { type: 'object', required }))
  return { file: `${check}.traffic`, text: recordingOf([smallest], tools.length === 0 ? {} : { tools }) }
}

function toolFor(api: Api, name: string, schema: object): object {
  if (api === 'messages') return { name, input_schema: schema }
  if (api === 'responses') return { type: 'function', name, parameters: schema }
  return { type: 'function', function: { name, parameters: schema } }
}

/** A question to parsers for each format in which calls were left; the format's own reader gives the answer. */
function callCases(check: string, examples: readonly TrafficExample[]): readonly MadeCase[] {
  const made = new Map<string, MadeCase>()
  for (const { exchange, finding } of examples) {
    for (const id of finding.formats) {
      const format = formatNamed(id)
      if (format === null || made.has(id)) continue
      const text = shrunkText(finding.evidence, format)
      const items = text === null ? null : callsOnly(format, text)
      if (text === null || items === null) continue
      const value = {
        ...{ id: `recorded/${id}/${check}`, op: 'parse', format: id, profile: STRICT },
        about: `A server left this call in its reply (${exchange}, shrunk).`,
        ...{ input: { text }, expected: { items } },
      }
      made.set(id, { file: `${check}-${id}.jsonl`, text: `${JSON.stringify(value)}\n` })
    }
  }
  return [...made.values()]
}

const STRICT = 'strict'

/** The shortest text that still contains the call; null if the format's reader finds none in it. */
function shrunkText(text: string, format: Format): string | null {
  const holds = (smaller: string): boolean =>
    leftCallIn(smaller)?.isWhole === true &&
    identifiedFrom(smaller, 0).includes(format.id) &&
    callsOnly(format, smaller) !== null
  if (!holds(text)) return null
  return shrinkSample({ text, cuts: [], other: '', plan: null }, (sample) => holds(sample.text)).text
}

/** The reply that a format's reader finds in a text; null if it has no call or an error. */
function callsOnly(format: Format, text: string): readonly object[] | null {
  const { items } = format.read(text, { version: STRICT })
  const hasCall = items.some((item) => item.kind === 'call' && item.name !== '')
  if (!hasCall || items.some(({ kind }) => kind === 'issue')) return null
  return items.map(plainItem)
}

function plainItem(item: ReplyItem): object {
  if (item.kind !== 'call') return { type: item.kind, ...('text' in item ? { text: item.text } : {}) }
  return { type: 'call', name: item.name, arguments: item.arguments }
}

/** A recording of replies to one request, whole or streamed, with the parts of the request that a check uses. */
function recordingOf(replies: readonly ReadReply[], request: object): string {
  return replies.map((reply, at) => exchangeOf(at + 1, { reply, request })).join('')
}

interface CaseRecording {
  readonly reply: ReadReply
  readonly request: object
}

const PATHS: Readonly<Record<Api, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
}

function exchangeOf(id: number, { reply, request }: CaseRecording): string {
  const { events, isStream, api } = reply
  const asked = JSON.stringify(isStream ? { ...request, stream: true } : request)
  const body = isStream ? logOf(reply) : (events[0]?.data ?? '')
  const type = isStream ? 'text/event-stream' : 'application/json'
  const from = { method: 'POST', path: PATHS[api], headers: {} }
  const lines: readonly (readonly [RecordLine, string?])[] = [
    [{ v: RECORD_VERSION, kind: 'request', id, time: EPOCH, at: 0, ...from, bytes: Buffer.byteLength(asked) }, asked],
    [{ kind: 'head', id, at: 0, status: 200, headers: { 'content-type': type } }],
    [{ kind: 'chunk', id, at: 0, bytes: Buffer.byteLength(body) }, body],
    [{ kind: 'end', id, at: 0, how: 'complete' }],
  ]
  return lines.map(([line, bytes]) => `${JSON.stringify(line)}\n${bytes === undefined ? '' : `${bytes}\n`}`).join('')
}

/** A fixed time, so that the same case is the same file. */
const EPOCH = new Date(0).toISOString()

/** The most characters of events that all tries together may read. */
const MOST_CHARACTERS = 100_000_000

/**
 * The reply with as few events as reproduce the finding: for a law of chat, any violation of it; for a law of messages or responses the
 * same, and for a check the same evidence, with no other finding, because a shorter reply would show a fault that the server does not have. Null if the events
 * alone do not reproduce it, such as a broken connection.
 */
function shrinkReply(check: TrafficCheck, { reply, question, finding }: TrafficExample): ReadReply | null {
  const isLaw = OF_CHAT.test(check)
  // The place is part of the evidence, and moves.
  const anyEvidence = isLaw || check in API_LAWS
  const all = new Set(checkExchange(WHOLE_EXCHANGE, reply, question).map((each) => each.check))
  const shows = (events: readonly SentEvent[]): ReadReply | null => {
    const read = replyOf(events, reply.isStream, reply.api)
    if (read === null) return null
    const found = checkExchange(WHOLE_EXCHANGE, read, question)
    const isThere = found.some((each) => each.check === check && (anyEvidence || each.evidence === finding.evidence))
    return isThere && (isLaw || found.every((each) => all.has(each.check))) ? read : null
  }
  let smallest = shows(reply.events)
  if (smallest === null || !reply.isStream) return smallest
  const cost = reply.events.reduce((sum, { data }) => sum + data.length, 1)
  let tries = Math.floor(MOST_CHARACTERS / cost)
  for (let size = reply.events.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < smallest.events.length && tries > 0; tries -= 1) {
      const fewer = shows(smallest.events.toSpliced(at, size))
      if (fewer === null) at += size
      else smallest = fewer
    }
  }
  return smallest
}

/** Laws of chat, and those of each event alone (JSON, U+FFFD): fewer events break others of them. */
const OF_CHAT = /^(?:C\d+|[MR]1[79])$/

const WHOLE_EXCHANGE = { how: 'complete', lacks: null, chunks: [] } as const
