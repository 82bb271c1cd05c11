import { InputError } from '@callspec/core'
import { dumps, fromPlain, isDict, isList } from '@callspec/python'
import type { PlainValue, PyDict, PyList, PyValue } from '@callspec/python'
import { readJson } from '../../cases/case-file.ts'
import { MAX_RAW } from '../../implementation.ts'
import type { Reply } from '../../implementation.ts'
import { outputProblem } from '../../protocol/messages.ts'
import { shortened, shortenedLine } from '../../comparison/visible.ts'

/** The result of one request. `raw`: the beginning of the body. */
export type HttpAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly value: PyDict; readonly raw: string }
  /** Anything but a JSON map, such as an HTML page. */
  | {
      readonly kind: 'other'
      readonly status: number
      readonly contentType: string
      readonly text: string
      readonly raw: string
    }
  | { readonly kind: 'none'; readonly reason: string }

/** The reply with the beginning of the answer that it was read from. */
export function withRawBody(reply: Reply, answer: HttpAnswer): Reply {
  const raw = answer.kind === 'none' ? '' : answer.raw
  return raw === '' || reply.kind === 'skipped' ? reply : { ...reply, raw }
}

export interface Api {
  /** Sends JSON to a path below the root of the server. */
  post(path: string, body: { readonly [key: string]: PlainValue }): Promise<HttpAnswer>
  get(path: string): Promise<HttpAnswer>
  /** The path of the OpenAI API, such as `/v1`. */
  readonly prefix: string
}

export interface ApiOptions {
  readonly apiKey: string
  /** For one request with its answer, in milliseconds. */
  readonly timeLimit: number
}

/** A server at an address with or without `/v1`. `/tokenize` and the like are next to it, not below. */
export function apiAt(url: string, options: ApiOptions): Api {
  const given = url.replace(/\/+$/, '')
  const hasPrefix = /\/v\d+$/.test(given)
  const prefix = hasPrefix ? given.slice(given.lastIndexOf('/')) : '/v1'
  const root = hasPrefix ? given.slice(0, -prefix.length) : given
  const send = (path: string, init: RequestInit): Promise<HttpAnswer> => requestJson(`${root}${path}`, init, options)
  const headers = { authorization: `Bearer ${options.apiKey}` }
  return {
    prefix,
    get: (path) => send(path, { headers }),
    // ASCII, so that an unpaired surrogate survives.
    post: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: dumps(fromPlain(body), { ensureAscii: true }),
      }),
  }
}

async function requestJson(address: string, init: RequestInit, options: ApiOptions): Promise<HttpAnswer> {
  const answer = await requestOnce(address, init, options)
  if (answer.kind !== 'none' || !answer.reason.includes(SOCKET_CLOSED)) return answer
  // A server may close a kept connection at the moment when a request is written to it.
  const again = await requestOnce(address, init, options)
  return again.kind === 'none' ? answer : again
}

const SOCKET_CLOSED = 'UND_ERR_SOCKET'

async function requestOnce(address: string, init: RequestInit, { timeLimit }: ApiOptions): Promise<HttpAnswer> {
  try {
    const response = await fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeLimit) })
    const text = await readBody(response.body)
    return httpAnswer(text, { status: response.status, contentType: response.headers.get('content-type') ?? '' })
  } catch (error) {
    return { kind: 'none', reason: failureReason(error, { address, timeLimit }) }
  }
}

function httpAnswer(text: string, head: { readonly status: number; readonly contentType: string }): HttpAnswer {
  try {
    const value = readJson(text, 'body')
    if (isDict(value)) return { kind: 'json', status: head.status, value, raw: shortened(text, MAX_RAW) }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  return { kind: 'other', ...head, text, raw: shortened(text, MAX_RAW) }
}

/** What a server that gives no answer did, as the end of a sentence about it. */
function failureReason(
  error: unknown,
  { address, timeLimit }: { readonly address: string; readonly timeLimit: number },
): string {
  if (error instanceof TooLong) return `sent a body of more than ${MAX_BODY_BYTES} bytes`
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `gave no answer within ${timeLimit} ms`
  const cause: unknown = error.cause
  if (!(cause instanceof Error)) return `could not be asked (${error.message})`
  const code = 'code' in cause ? String(cause.code) : null
  const known = CONNECTION_REASONS.find(([codes]) => code !== null && codes.test(code))
  // Of undici, for ports that browsers keep from pages: https://fetch.spec.whatwg.org/#port-blocking
  if (cause.message === 'bad port')
    return `cannot be asked: fetch blocks port ${new URL(address).port}, as browsers do; start it on another`
  return `${known?.[1] ?? 'could not be asked'} (${code ?? cause.message})`
}

/** Codes of the system and of undici, and what they come to. */
const CONNECTION_REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a name that cannot be found'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'cannot be reached'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|HPE_INVALID_EOF_STATE)$/, 'closed the connection'],
  [/^HPE_/, 'speaks something else than HTTP'],
]

/** One line about a server that gave no answer when it was asked for the first time. */
export function unreachableServer(url: string, reason: string): string {
  return `${url}: the server ${reason}. Is it running, and is this its address?`
}

export const MAX_BODY_BYTES: number = 16 * 1024 * 1024

export class TooLong extends Error {}

/**
 * The bytes of a body as text; what is not UTF-8 becomes U+FFFD, which the comparison then shows.
 *
 * @throws TooLong
 */
export async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new TooLong()
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

export function replyOfCompletion(answer: HttpAnswer): Reply {
  if (answer.kind !== 'json' || answer.status >= 300) return refusal(answer)
  const message = firstChoice(answer.value)?.get('message')
  if (!isDict(message)) return errored('answered with JSON that is no completion: there is no choices[0].message')
  return checked('parse', new Map([...textMembers(message), ['calls', listOrNone(wireCalls(message)).map(wireCall)]]))
}

export function replyOfStream(answer: HttpAnswer): Reply {
  if (answer.kind !== 'other' || answer.status >= 300 || !answer.contentType.includes('text/event-stream')) {
    return refusal(answer)
  }
  const deltas: PyDict[] = []
  let ends = 0
  for (const data of eventsIn(answer.text)) {
    const event = dictIn(data)
    if (event === null) return errored(`streamed an event that is no JSON map: ${shortenedLine(data, SHOWN_BODY)}`)
    if (event.has('error')) return errored(`streamed an error: ${shortenedLine(data, SHOWN_BODY)}`)
    const choice = firstChoice(event)
    const delta = choice?.get('delta')
    if (typeof choice?.get('finish_reason') === 'string') ends += 1
    if (isDict(delta)) deltas.push(new Map([['delta', deltaOf(delta)]]))
  }
  if (ends !== 1) return errored(`streamed ${ends} finish reasons; there must be one`)
  return checked('stream', new Map([['deltas', deltas]]))
}

/** A response without an answer: an HTTP error is a rejection, everything else is broken. */
export function refusal(answer: HttpAnswer): Reply {
  if (answer.kind === 'none') return errored(answer.reason)
  if (answer.status >= 300) {
    return { kind: 'raised', error: { type: `HTTP ${answer.status}`, message: errorText(answer) } }
  }
  if (answer.kind === 'json') return errored('answered with one JSON map, although a stream was asked for')
  return errored(
    `answered with ${answer.contentType || 'something'} instead of JSON: ${shortenedLine(answer.text, SHOWN_BODY)}`,
  )
}

export function errorText(answer: HttpAnswer): string {
  if (answer.kind === 'none') return answer.reason
  if (answer.kind === 'other') return shortenedLine(answer.text, SHOWN_BODY)
  const error = answer.value.get('error') ?? answer.value.get('detail') ?? answer.value.get('message')
  const message = isDict(error) ? error.get('message') : error
  return typeof message === 'string' ? shortenedLine(message, SHOWN_BODY) : 'no message'
}

/** `choices[0]`, or null. */
export function firstChoice(value: PyDict): PyDict | null {
  const [choice] = listOrNone(value.get('choices'))
  return isDict(choice) ? choice : null
}

function checked(op: 'parse' | 'stream', value: PyDict): Reply {
  const problem = outputProblem(op, value)
  return problem === null ? { kind: 'returned', value } : errored(problem)
}

function textMembers(message: PyDict): [string, PyValue][] {
  return [
    ['content', message.get('content') ?? null],
    ['reasoning', message.get('reasoning_content') ?? message.get('reasoning') ?? null],
  ]
}

/** `function_call` is what `tool_calls` was called once. */
function wireCalls(message: PyDict): PyValue {
  const old = message.get('function_call')
  const now = message.get('tool_calls') ?? null
  return now === null && isDict(old) ? [new Map([['function', old]])] : now
}

function wireCall(call: PyValue): PyValue {
  const made = isDict(call) ? call.get('function') : null
  if (!isDict(call) || !isDict(made)) return call
  const id = call.get('id')
  return new Map([
    ...(typeof id === 'string' ? [['id', id] as const] : []),
    ['name', made.get('name') ?? null],
    ['arguments', made.get('arguments') ?? null],
  ])
}

export function deltaOf(delta: PyDict): PyDict {
  const calls = listOrNone(wireCalls(delta)).map((call) => {
    const made = wireCall(call)
    const index = isDict(call) ? call.get('index') : undefined
    return isDict(made) ? new Map([...(index === undefined ? [] : [['index', index] as const]), ...made]) : made
  })
  return new Map([...textMembers(delta), ...(calls.length === 0 ? [] : [['calls', calls] as const])])
}

/** The data of server-sent events, without the end mark of the API. */
export function eventsIn(text: string): readonly string[] {
  const blocks = text.split(/\r?\n\r?\n/)
  const data = blocks.map((block) =>
    block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n'),
  )
  return data.filter((each) => each !== '' && each !== '[DONE]')
}

export function dictIn(text: string): PyDict | null {
  try {
    const value = readJson(text, 'event')
    return isDict(value) ? value : null
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

function errored(reason: string): Reply {
  return { kind: 'errored', reason }
}

const SHOWN_BODY = 120

function listOrNone(value: PyValue | undefined): PyList {
  return isList(value) ? value : []
}
