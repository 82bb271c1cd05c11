import { excerpt } from '../text/excerpt.ts'
import { parsedJson } from '../text/json.ts'
import type { Completion } from '../trace/completion.ts'
import { isOfModel } from '../trace/failure.ts'
import type { Failure } from '../trace/failure.ts'
import { CompletionError, infraError } from './failure.ts'
import { createReplyCollector } from './reply-collector.ts'
import type { ReplyCollector } from './reply-collector.ts'
import { createEventReader } from './server-sent-events.ts'
import { bodyText } from './transport.ts'

/** A server whose time is simulated says how long the reply took. */
const VIRTUAL_TIME = 'x-callspec-latency-ms'

/** How a reply is to be read. */
export interface ReadOptions {
  /** Whether a stream was asked for. */
  readonly stream: boolean
  /** Milliseconds since the request was sent. */
  readonly elapsed: () => number
  /** Is told of every event of a stream but the end mark; of a whole reply once. */
  readonly onEvent?: ((event: unknown) => void) | undefined
  /** Ends the reading: at the deadline, or when nobody wants the reply any more. */
  readonly signal?: AbortSignal
  /** When the deadline is, as it was set. */
  readonly timeoutMs: number
}

/**
 * The reply in a response with a good status, streamed or whole, whatever was asked for.
 *
 * @throws CompletionError for anything that is no reply, or breaks off, or is too large; with what came of a reply that did
 *   not end in time, is too large, or that the server itself cannot read
 */
export async function readReply(response: Response, options: ReadOptions): Promise<Completion> {
  const { stream, elapsed, signal, timeoutMs, onEvent } = options
  const reply = toldOf(createReplyCollector(), onEvent)
  const type = response.headers.get('content-type') ?? ''
  try {
    const isStream = type.includes('event-stream')
      ? await readStream(response, reply, elapsed)
      : await readWhole(response, reply)
    if (isStream !== stream) reply.warn(isStream ? 'streamed' : 'not-streamed')
    return complete(reply, response, elapsed)
  } catch (error) {
    const failed =
      signal?.aborted === true && reply.hasContent() ? tooLate(elapsed() - reply.lastContentMs(), timeoutMs) : error
    if (!(failed instanceof CompletionError) || !isOfModel(failed.failure)) throw failed
    throw withPartial(failed, complete(reply, response, elapsed))
  }
}

/** A reply of which nothing came any more is the server's, and asked for again; one that goes on is the model's, or our patience. */
function tooLate(silent: number, ms: number): CompletionError {
  if (silent >= ms / 2) return infraError(stalledText({ silent, ms }), true)
  const message = `the reply did not end within ${secondsText(ms)} s`
  return new CompletionError({ kind: 'never-ends', status: 200, message }, { isRetryable: false })
}

/** Whether a reply began, and nothing came any more. */
export function isStalled({ message }: Failure): boolean {
  return message.startsWith(STALLED)
}

const STALLED = 'the reply stalled'

function stalledText({ silent, ms }: Readonly<Record<'silent' | 'ms', number>>): string {
  return `${STALLED}: nothing came in the last ${secondsText(silent)} of ${secondsText(ms)} s`
}

function secondsText(ms: number): string {
  return String(Number((ms / 1000).toFixed(ms < 1000 ? 3 : 1)))
}

/** What the error quotes of the reply stands behind what had come; the calls in it are those that could not be read. */
function withPartial({ failure, partial }: CompletionError, came: Completion): CompletionError {
  const quoted = partial?.text ?? ''
  const text = quoted.startsWith(came.text) ? quoted : `${came.text}${quoted}`
  const said = quoted === '' ? came : { ...came, text, toolCalls: [] }
  return new CompletionError(failure, { isRetryable: false, partial: said })
}

function complete(reply: ReplyCollector, response: Response, elapsed: ReadOptions['elapsed']): Completion {
  const virtual = Number(response.headers.get(VIRTUAL_TIME) ?? NaN)
  const { chunks, ...said } = reply.finish()
  if (Number.isFinite(virtual) && virtual >= 0) return { ...said, ms: virtual, cached: false }
  const times = chunks === undefined || chunks.length === 0 ? {} : { chunks }
  return { ...said, ...times, ms: Math.round(elapsed()), cached: false }
}

function toldOf(reply: ReplyCollector, onEvent: ((event: unknown) => void) | undefined): ReplyCollector {
  if (onEvent === undefined) return reply
  const add: ReplyCollector['add'] = (part, ms) => {
    onEvent(part)
    reply.add(part, ms)
  }
  return { ...reply, add }
}

/** Servers that send a stream for a whole reply often say that it is one; those that do not are found by its beginning. */
async function readWhole(response: Response, reply: ReplyCollector): Promise<boolean> {
  const text = await bodyText(response)
  const body = text.trimStart()
  if (body === '') throw infraError('the server answered nothing', true, response.status)
  if (/^(?:data|event|id|retry)?:/.test(body)) {
    const events = createEventReader()
    const end = addEvents([...events.push(new TextEncoder().encode(body)), ...events.end()], reply, 0)
    checkEnd(reply, end)
    return true
  }
  reply.add(parsed(body), 0)
  if (!reply.hasBegun())
    throw infraError(`the server answered something that is no completion: ${excerpt(body)}`, false, response.status)
  return false
}

async function readStream(response: Response, reply: ReplyCollector, elapsed: () => number): Promise<boolean> {
  const events = createEventReader()
  const stream: ReadableStream<Uint8Array> | null = response.body
  const body: BodyReader = stream?.getReader()
  let isOver = false
  try {
    for (let part = await body?.read(); part?.done === false; part = await body?.read()) {
      isOver = addEvents(events.push(part.value), reply, elapsed())
      if (isOver) break
    }
  } catch (error) {
    cancel(body)
    throw error instanceof RangeError ? tooLarge(error, reply, response.status) : error
  }
  if (isOver) leave(body)
  else isOver = addEvents(events.end(), reply, elapsed())
  checkEnd(reply, isOver)
  return true
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array> | undefined

function cancel(body: BodyReader): void {
  body?.cancel().catch(() => undefined)
}

function tooLarge({ message }: RangeError, reply: ReplyCollector, status: number): CompletionError {
  const kind = reply.hasContent() ? 'never-ends' : 'infra'
  return new CompletionError({ kind, status, message }, { isRetryable: false })
}

const DONE = '[DONE]'

/** Whether the last of the events said that there are no more. */
function addEvents(events: readonly string[], reply: ReplyCollector, ms: number): boolean {
  for (const data of events) {
    if (data.trim() === DONE) return true
    if (data !== '') reply.add(parsed(data), ms)
  }
  return false
}

/** A stream that just ends may have been cut: taken for complete, it would be scored as a short answer. */
function checkEnd(reply: ReplyCollector, isDone: boolean): void {
  if (!reply.hasBegun()) throw infraError('the stream held no reply', true, 200)
  if (!isDone && !reply.hasEnd()) throw infraError('the stream ended before the reply was complete', true)
}

function parsed(text: string): unknown {
  const value = parsedJson(text)
  if (value !== undefined) return value
  throw /^\s*</.test(text)
    ? infraError(`the server answered a page instead of a completion: ${excerpt(text)}`, false, 200)
    : infraError(`the reply broke off or is no JSON: ${excerpt(text)}`, true, 200)
}

/** How long the rest of a body may take after its end mark before the connection is given up. */
const REST_MS = 1000

/**
 * Reads what follows the end mark, in the background: with the end of the body the connection can be used again. A server that
 * never ends the body does not delay the reply.
 */
function leave(body: BodyReader): void {
  const timer = setTimeout(() => cancel(body), REST_MS)
  timer.unref()
  const drain = async (): Promise<void> => {
    for (let rest = REST_PARTS; rest > 0; rest -= 1) if ((await body?.read())?.done !== false) return
    cancel(body)
  }
  drain()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer))
}

/** A body that continues for more parts than this has no end. */
const REST_PARTS = 16
