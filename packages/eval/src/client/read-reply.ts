import { createEventReader, DONE } from '@callspec/apis'
import type { SentEvent } from '@callspec/apis'
import { excerpt } from '../text/excerpt.ts'
import { parsedJson } from '../text/json.ts'
import type { Completion, Failure } from '../trace/completion.ts'
import { isOfModel } from '../trace/completion.ts'
import { CompletionError, infraError } from './failure.ts'
import type { ReplyCollector } from './reply-collector.ts'
import { createReplyCollector } from './reply-collector.ts'
import { bodyText } from './sender.ts'

/** The header in which a server with simulated time sends the duration of the reply. */
const VIRTUAL_TIME = 'x-callspec-latency-ms'

export interface ReadOptions {
  readonly stream: boolean
  /** Milliseconds since the request was sent. */
  readonly elapsed: () => number
  /** Called with every event of a stream that has data, and once with a whole reply. */
  readonly onEvent?: ((event: SentEvent) => void) | undefined
  /** Ends the reading: at the deadline, or when the caller aborts. */
  readonly signal?: AbortSignal
  /** The configured deadline. */
  readonly timeoutMs: number
}

/**
 * The reply in a response with a good status, streamed or whole, independent of the request.
 *
 * @throws CompletionError for a body that is not a reply, breaks off, or is too large; with the part that arrived of a reply that did not
 *   end in time, is too large, or that the server itself cannot read
 */
export async function readReply(response: Response, options: ReadOptions): Promise<Completion> {
  const { stream, elapsed, signal, timeoutMs } = options
  const reply = createReplyCollector()
  const type = response.headers.get('content-type') ?? ''
  try {
    const isStream = type.includes('event-stream')
      ? await readStream(response, reply, options)
      : await readWholeReply(response, reply, options)
    if (isStream !== stream) reply.warn(isStream ? 'streamed' : 'not-streamed')
    return complete(reply, response, elapsed)
  } catch (error) {
    const failed =
      signal?.aborted === true && reply.hasContent() ? tooLate(elapsed() - reply.lastContentMs(), timeoutMs) : error
    if (!(failed instanceof CompletionError) || !isOfModel(failed.failure)) throw failed
    throw withPartial(failed, complete(reply, response, elapsed))
  }
}

/** A stalled reply is a failure of the server and is requested again; one that still grows is the model's, or our limit is too low. */
export function tooLate(silent: number, ms: number): CompletionError {
  if (silent >= ms / 2) return infraError(stalledText({ silent, ms }), true)
  const message = `the reply did not end within ${secondsText(ms)} s`
  return new CompletionError({ kind: 'never-ends', status: 200, message }, { isRetryable: false })
}

/** Whether a reply began and then stopped arriving. */
export function isStalled({ message }: Failure): boolean {
  return message.startsWith(STALLED)
}

const STALLED = 'the reply stalled'

function stalledText({ silent, ms }: Readonly<Record<'silent' | 'ms', number>>): string {
  return `${STALLED}: nothing arrived in the last ${secondsText(silent)} of ${secondsText(ms)} s`
}

function secondsText(ms: number): string {
  return String(Number((ms / 1000).toFixed(ms < 1000 ? 3 : 1)))
}

/** The error quotes the part of the reply whose calls could not be read: it is appended to the part that arrived. */
function withPartial({ failure, partial }: CompletionError, arrived: Completion): CompletionError {
  const quoted = partial?.text ?? ''
  const text = quoted.startsWith(arrived.text) ? quoted : `${arrived.text}${quoted}`
  const said = quoted === '' ? arrived : { ...arrived, text, toolCalls: [] }
  return new CompletionError(failure, { isRetryable: false, partial: said })
}

function complete(reply: ReplyCollector, response: Response, elapsed: ReadOptions['elapsed']): Completion {
  const virtual = Number(response.headers.get(VIRTUAL_TIME) ?? NaN)
  const { chunks, ...said } = reply.finish()
  if (Number.isFinite(virtual) && virtual >= 0) return { ...said, ms: virtual, cached: false }
  const times = chunks === undefined || chunks.length === 0 ? {} : { chunks }
  return { ...said, ...times, ms: Math.round(elapsed()), cached: false }
}

/** A server may send a stream without the content type of one: then its beginning shows it. */
async function readWholeReply(
  response: Response,
  reply: ReplyCollector,
  { onEvent }: Pick<ReadOptions, 'onEvent'>,
): Promise<boolean> {
  const text = await bodyText(response)
  const body = text.trimStart()
  if (body === '') throw infraError('the server sent an empty response', true, response.status)
  if (/^(?:data|event|id|retry)?:/.test(body)) {
    const events = createEventReader()
    const end = addEvents([...events.push(new TextEncoder().encode(body)), ...events.end()], reply, { ms: 0, onEvent })
    checkEnd(reply, end)
    return true
  }
  onEvent?.({ name: '', data: body })
  reply.add(parsedEvent(body), 0)
  if (!reply.hasBegun()) throw infraError(`the response is not a completion: ${excerpt(body)}`, false, response.status)
  return false
}

async function readStream(
  response: Response,
  reply: ReplyCollector,
  { elapsed, onEvent }: Pick<ReadOptions, 'elapsed' | 'onEvent'>,
): Promise<boolean> {
  const events = createEventReader()
  const stream: ReadableStream<Uint8Array> | null = response.body
  const body: BodyReader = stream?.getReader()
  let isOver = false
  try {
    for (let part = await body?.read(); part?.done === false; part = await body?.read()) {
      isOver = addEvents(events.push(part.value), reply, { ms: elapsed(), onEvent })
      if (isOver) break
    }
  } catch (error) {
    cancel(body)
    throw error instanceof RangeError ? tooLarge(error, reply, response.status) : error
  }
  if (isOver) leave(body)
  else isOver = addEvents(events.end(), reply, { ms: elapsed(), onEvent })
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

/** Whether the last event was the end mark. */
function addEvents(
  events: readonly SentEvent[],
  reply: ReplyCollector,
  { ms, onEvent }: { readonly ms: number; readonly onEvent: ReadOptions['onEvent'] },
): boolean {
  for (const event of events) {
    if (event.data === '') continue
    onEvent?.(event)
    if (event.data.trim() === DONE) return true
    reply.add(parsedEvent(event.data), ms)
  }
  return false
}

/** A stream that ends without a reason may have been cut: accepted as complete, it would be scored as a short answer. */
function checkEnd(reply: ReplyCollector, isDone: boolean): void {
  if (!reply.hasBegun()) throw infraError('the stream held no reply', true, 200)
  if (!isDone && !reply.hasEnd()) throw infraError('the stream ended before the reply was complete', true)
}

function parsedEvent(text: string): unknown {
  const value = parsedJson(text)
  if (value !== undefined) return value
  throw /^\s*</.test(text)
    ? infraError(`the server sent a page instead of a completion: ${excerpt(text)}`, false, 200)
    : infraError(`the reply broke off or is not JSON: ${excerpt(text)}`, true, 200)
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
