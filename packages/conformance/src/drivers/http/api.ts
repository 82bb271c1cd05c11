import { fromPlain, isDict, dumps } from '@callspec/python'
import { InputError } from '@callspec/core'
import type { PlainValue, PyDict } from '@callspec/python'

import { readJson } from '../../case-file.ts'
import { MAX_BODY_BYTES, readBody, TooLong } from './read-body.ts'

/** What came of one request. */
export type HttpAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly value: PyDict }
  /** Something that is no JSON map, such as an HTML page. */
  | { readonly kind: 'other'; readonly status: number; readonly contentType: string; readonly text: string }
  /** No answer, and why. */
  | { readonly kind: 'none'; readonly reason: string }

/** A server, as it is talked to. */
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

/** A server at an address with or without `/v1`. `/tokenize` and the like stand beside it, not below. */
export function apiAt(url: string, options: ApiOptions): Api {
  const given = url.replace(/\/+$/, '')
  const hasPrefix = /\/v\d+$/.test(given)
  const prefix = hasPrefix ? given.slice(given.lastIndexOf('/')) : '/v1'
  const root = hasPrefix ? given.slice(0, -prefix.length) : given
  const send = (path: string, init: RequestInit): Promise<HttpAnswer> => request(`${root}${path}`, init, options)
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

async function request(address: string, init: RequestInit, { timeLimit }: ApiOptions): Promise<HttpAnswer> {
  try {
    const response = await fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeLimit) })
    const text = await readBody(response.body)
    return answerOf(text, { status: response.status, contentType: response.headers.get('content-type') ?? '' })
  } catch (error) {
    return { kind: 'none', reason: reasonOf(error, timeLimit) }
  }
}

function answerOf(text: string, head: { readonly status: number; readonly contentType: string }): HttpAnswer {
  try {
    const value = readJson(text, 'body')
    if (isDict(value)) return { kind: 'json', status: head.status, value }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  return { kind: 'other', ...head, text }
}

/** What a server that gives no answer did, as the end of a sentence about it. */
function reasonOf(error: unknown, timeLimit: number): string {
  if (error instanceof TooLong) return `sent a body of more than ${MAX_BODY_BYTES} bytes`
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `gave no answer within ${timeLimit} ms`
  const cause: unknown = error.cause
  if (!(cause instanceof Error)) return `could not be asked (${error.message})`
  const code = 'code' in cause ? String(cause.code) : null
  const known = REASONS.find(([codes]) => code !== null && codes.test(code))
  // Of undici, for ports that browsers keep from pages: https://fetch.spec.whatwg.org/#port-blocking
  if (cause.message === 'bad port') return 'has a port that HTTP clients refuse'
  return `${known?.[1] ?? 'could not be asked'} (${code ?? cause.message})`
}

/** Codes of the system and of undici, and what they come to. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a name that cannot be found'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'cannot be reached'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|HPE_INVALID_EOF_STATE)$/, 'closed the connection'],
  [/^HPE_/, 'speaks something else than HTTP'],
]

/** One line about a server that gave no answer when it was asked for the first time. */
export function unreachable(url: string, reason: string): string {
  return `${url}: the server ${reason}. Is it running, and is this its address?`
}
