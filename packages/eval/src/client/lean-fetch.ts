import { Agent, request } from 'undici'
import { infraError } from './failure.ts'
import { objectIn, textOf } from '../text/json.ts'

/** As much of a response as is looked at. Its body is read once, at most. */
export interface LeanResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: Headers
  readonly url: string
  readonly body: AsyncIterable<Uint8Array> | null
  /** The body up to `MAX_BODY_BYTES`. @throws CompletionError for more */
  text(): Promise<string>
}

/** As much of `fetch` as the OpenAI client uses. */
export type LeanFetch = (url: string, init: LeanRequest) => Promise<LeanResponse>

/** As much of a request. */
export interface LeanRequest {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string | null
  readonly signal?: AbortSignal | null
}

/** A whole answer beyond this is cut off: it would be no answer of a model, and memory is not endless. */
export const MAX_BODY_BYTES = 32_000_000

/**
 * `fetch` for the OpenAI client on top of `undici.request`, which costs half the processor time and memory of the global
 * one: no Web streams, no `Response`. Connections are kept. It follows no redirect.
 */
export function createLeanFetch(): LeanFetch {
  // Our own deadline covers the whole answer, and a model may think for long before its first byte.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return async (url, { method = 'GET', headers = new Headers(), body = null, signal = null }) => {
    const answer = await request(url, {
      method: method as 'GET',
      // What is compressed would only have to be unpacked again.
      headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
      body,
      signal,
      dispatcher,
    })
    return leanResponse(url, answer.statusCode, headersOf(answer.headers), answer.body)
  }
}

/** The same interface round any other `fetch`. */
export function leanFetchFrom(fetch: typeof globalThis.fetch): LeanFetch {
  return async (url, init) => {
    const { status, headers, body } = await fetch(url, init)
    return leanResponse(url, status, headers, body as AsyncIterable<Uint8Array> | null)
  }
}

function leanResponse(
  url: string,
  status: number,
  headers: Headers,
  body: AsyncIterable<Uint8Array> | null,
): LeanResponse {
  const ok = status >= 200 && status < 300
  const text = async (): Promise<string> => (ok ? bodyText(body) : withErrorMember(await bodyText(body)))
  return { ok, status, headers, url, body, text }
}

/** The OpenAI client looks for `error` and drops everything else; older servers say `message` or `detail`, with nothing round it. */
function withErrorMember(text: string): string {
  const body = objectIn(text)
  if (body === null || 'error' in body) return text
  const message = textOf(body['message']) || textOf(body['detail'])
  return message === '' ? text : JSON.stringify({ error: { ...body, message } })
}

async function bodyText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > MAX_BODY_BYTES) throw infraError(`the answer is larger than ${MAX_BODY_BYTES / 1e6} MB`, false, 200)
    parts.push(part)
  }
  return new TextDecoder().decode(parts.length === 1 ? parts[0] : Buffer.concat(parts))
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) headers.append(name, each)
  }
  return headers
}
