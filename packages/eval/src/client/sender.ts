import { Readable } from 'node:stream'
import { objectIn, stringOrEmpty, isRecord } from '../text/json.ts'
import type { FailureDetails } from './failure.ts'
import { infraError, CompletionError, serverSaid, systemCode } from './failure.ts'
import { RunError } from '../trace/run-error.ts'
import type { EndpointHeaders } from './redact.ts'
import { redactedUrl, splitAddress, accountHeaders, DUMMY_KEY, headerFault } from './redact.ts'
import { excerpt } from '../text/excerpt.ts'

import type OpenAI from 'openai'

/** A body beyond this is not read further: no model writes a reply of this size. */
export const MAX_REPLY_BYTES = 32_000_000

type Fetch = typeof globalThis.fetch

let loaded: Promise<Fetch> | null = null

/** A `fetch` over undici for all servers of the process. undici is loaded on the first call. */
export async function loadTransport(): Promise<Fetch> {
  return (loaded ??= createTransport())
}

/**
 * The global `fetch` gives a request up after five minutes without an answer, and refuses ports that browsers block, such as
 * 6000. Connections are kept alive. Redirects are not followed.
 */
async function createTransport(): Promise<Fetch> {
  const { Agent, request } = await import('undici')
  // The deadline of the client covers the whole reply.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const answer = await request(String(url), {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      signal: signal ?? null,
      dispatcher,
    })
    const status = answer.statusCode
    if (status > 599) throw infraError(`the server answered with the status ${status}`, true, status)
    return new Response(bodyFor(status, Readable.toWeb(answer.body) as ReadableStream<Uint8Array>), {
      status,
      headers: headersOf(answer.headers),
    })
  }
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

function bodyFor<T>(status: number, body: T): T | null {
  return WITHOUT_BODY.has(status) ? null : body
}

function headersOf(given: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  return new Headers(Object.entries(given).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))
}

/** What every request to an endpoint needs in addition to what the openai package sends. */
export interface EndpointFetchOptions {
  readonly fetch: Fetch
  /** Appended to every address as it is: the package would encode it again. */
  readonly query: string
}

/**
 * A `fetch` for the openai package. It asks for an uncompressed reply, sends nothing about this machine, and rewrites the body of an error
 * so that the package finds the message.
 */
export function endpointFetch({ fetch, query }: EndpointFetchOptions): Fetch {
  return async (input, init = {}) => {
    const url = String(input)
    const headers = new Headers(init.headers)
    for (const name of [...headers.keys()]) if (name.startsWith('x-stainless-')) headers.delete(name)
    headers.set('accept-encoding', 'identity')
    const address = query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    return response.ok ? response : withErrorMember(response)
  }
}

/** The package looks for the message in `error`; some servers send `message` or `detail` without it, or no object at all. */
async function withErrorMember(response: Response): Promise<Response> {
  const { status, headers } = response
  const text = await bodyText(response).catch((error: unknown) => (error instanceof Error ? error.message : ''))
  return new Response(bodyFor(status, errorBody(text)), { status, headers })
}

function errorBody(text: string): string {
  const body = objectIn(text)
  if (body !== null && 'error' in body) return text
  const message = body === null ? text : stringOrEmpty(body['message']) || stringOrEmpty(body['detail'])
  return message === '' ? text : JSON.stringify({ error: { ...body, message } })
}

/** The whole body of a response. @throws CompletionError for more than `MAX_REPLY_BYTES` */
export async function bodyText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const stream: ReadableStream<Uint8Array> | null = body
  for await (const part of stream ?? []) {
    bytes += part.byteLength
    if (bytes > MAX_REPLY_BYTES) throw infraError(`the answer is larger than ${MAX_REPLY_BYTES / 1e6} MB`, false, 200)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

export type CompletionBody = OpenAI.ChatCompletionCreateParams | OpenAI.CompletionCreateParams

/** Where requests are sent, and with which credentials. */
export interface SenderOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers?: EndpointHeaders | undefined
  /** Default: one over undici. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Whether this process serves the simulated models there: they need no key and no header, so the openai package is not loaded. */
  readonly isSimulated?: boolean | undefined
}

/**
 * Sends requests to one server, once each and without a deadline. All responses have a good status.
 *
 * @throws CompletionError for any other status, and without a connection
 */
export interface Sender {
  complete(body: CompletionBody, signal: AbortSignal): Promise<Response>
  /** @param path below the base URL, such as `/models`, or a whole address */
  get(path: string, signal: AbortSignal): Promise<Response>
  post(path: string, body: object, signal: AbortSignal): Promise<Response>
}

/** Loads what requests to this server need. @throws RunError as `checkEndpoint` */
export async function openSender(options: SenderOptions): Promise<Sender> {
  // Without an address the openai package would send every prompt to OpenAI.
  checkEndpoint(options.baseUrl, options.apiKey, options.headers)
  return options.isSimulated === true ? simulatedSender(options) : openAiSender(options)
}

/** @throws RunError for an address, a key or a header that no request can be made with */
export function checkEndpoint(baseUrl: string, apiKey: string, headers: EndpointHeaders = {}): void {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new RunError(
      `${JSON.stringify(redactedUrl(baseUrl))} is no http address. Give one such as http://127.0.0.1:8000/v1`,
    )
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new RunError('the key of the server is empty, or holds a line break, a blank or a letter that no key has')
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value)
    if (fault !== null) throw new RunError(fault)
  }
}

async function openAiSender({ baseUrl, apiKey, headers = {}, fetch }: SenderOptions): Promise<Sender> {
  const { APIConnectionError, APIError, OpenAI } = await import('openai')
  const { url, query } = splitAddress(baseUrl)
  const sendsKey = apiKey !== DUMMY_KEY || Object.keys(headers).length === 0
  const openai = new OpenAI({
    ...{ baseURL: url, apiKey, adminAPIKey: null, organization: null, project: null },
    ...{ maxRetries: 0, timeout: LONGEST_TIMER_MS },
    // It would print what the server answered, with control characters and keys.
    logLevel: 'off',
    defaultHeaders: {
      ...unsetHeaders(process.env['OPENAI_CUSTOM_HEADERS']),
      'user-agent': 'callspec',
      ...accountHeaders(process.env),
      ...(sendsKey ? {} : { authorization: null }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    fetch: endpointFetch({ fetch: fetch ?? (await loadTransport()), query }),
  })
  const sent = async (response: Promise<Response>): Promise<Response> =>
    response.catch((error: unknown) => {
      if (error instanceof APIConnectionError) throw connectionFailure(error.cause ?? error)
      throw error instanceof APIError ? serverRefusal(error) : error
    })
  return {
    complete: async (body, signal) =>
      'prompt' in body
        ? sent(openai.completions.create(body, { signal }).asResponse())
        : sent(openai.chat.completions.create(body, { signal }).asResponse()),
    get: async (path, signal) => sent(openai.get(path, { signal }).asResponse()),
    post: async (path, body, signal) =>
      sent(
        openai.post(path, { body, signal, headers: path === '/messages' ? messagesHeaders(apiKey) : {} }).asResponse(),
      ),
  }
}

/** What Anthropic's own API asks for; engines ignore it. */
function messagesHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { 'anthropic-version': '2023-06-01', ...(apiKey === DUMMY_KEY ? {} : { 'x-api-key': apiKey }) }
}

/** The deadline is the client's; the package adds a timer of its own, which takes no longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The package sends the headers of this variable to every server. They may be keys, which messages would not hide. */
function unsetHeaders(variable = ''): Record<string, null> {
  const names = variable.split('\n').map((line) => line.split(':', 1)[0]?.trim().toLowerCase() ?? '')
  return Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, null]))
}

async function simulatedSender({ baseUrl, fetch = globalThis.fetch }: SenderOptions): Promise<Sender> {
  const send = endpointFetch({ fetch, query: '' })
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await send(`${baseUrl}${path}`, init).catch((error: unknown) => {
      throw connectionFailure(error)
    })
    if (response.ok) return response
    const { status, headers } = response
    const error = objectIn(await response.text())?.['error'] as { readonly message?: unknown } | undefined
    throw serverRefusal({ status, headers, error, message: `${status} ${stringOrEmpty(error?.message)}` })
  }
  const post: Sender['post'] = async (path, body, signal) =>
    ask(path, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body), signal })
  return {
    complete: async (body, signal) => post('prompt' in body ? '/completions' : '/chat/completions', body, signal),
    get: async (path, signal) => ask(path, { signal }),
    post,
  }
}

const JSON_BODY = { 'content-type': 'application/json' }

/** What the openai package reads of a response with a bad status: an `APIError` of it is one. */
export interface RefusedRequest {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  /** The member `error` of the body. */
  readonly error: unknown
  readonly message: string
}

/** What a response with a bad status means. Never throws. */
export function serverRefusal({ status, headers, error, message }: RefusedRequest): CompletionError {
  const { code, type, failed_generation: generation } = isRecord(error) ? error : {}
  const words = `${wordOf(code)} ${wordOf(type)}`
  return serverSaid({ status: status ?? null, headers, code: words, message, generation: stringOrEmpty(generation) })
}

function wordOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : stringOrEmpty(value)
}

const TIMED_OUT = /timed? ?out/i

/** What it means that a request received no response. */
export function connectionFailure(error: unknown): CompletionError {
  if (error instanceof CompletionError) return error
  if (TIMED_OUT.test(`${String(error)} ${error instanceof Error ? String(error.cause) : ''}`))
    return infraError('the server did not answer in time', true)
  const code = systemCode(error)
  if (code === 'ECONNREFUSED') return unreachable('refused the connection. Is the server running?', NO_CONNECTION)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unreachable('has no address. Is the host name right?', {
      ...NO_CONNECTION,
      isRetryable: code === 'EAI_AGAIN',
    })
  if (code !== null && NO_TLS.test(code))
    return unreachable(`speaks no TLS (${code}). Is it http instead of https?`, FINAL)
  if (code !== null && BAD_CERTIFICATE.test(code)) {
    const advice = 'NODE_EXTRA_CA_CERTS may name a file of further ones to trust.'
    return unreachable(`has a certificate that is not trusted (${code}). ${advice}`, FINAL)
  }
  const message = `the connection failed (${code ?? excerpt(error instanceof Error ? error.message : String(error))})`
  return new CompletionError({ kind: 'infra', status: null, message }, { isRetryable: true, isConnection: true })
}

const FINAL: FailureDetails = { isRetryable: false }
/** Before the first answer the address is probably wrong; later the server may come back, see `Breaker`. */
const NO_CONNECTION: FailureDetails = { isRetryable: false, isConnection: true }

const NO_TLS = /^(?:EPROTO|ERR_SSL_\w+)$/
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/

function unreachable(message: string, details: FailureDetails): CompletionError {
  return new CompletionError({ kind: 'unreachable', status: null, message }, details)
}
