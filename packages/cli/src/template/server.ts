import { loadTransport, redact, redactedUrl } from '@callspec/eval'
import type { FetchServer, ServerResponse, TemplateSource } from '@callspec/template/source'
import { openTemplateServer } from '@callspec/template/source'
import { durationFrom } from '../arguments.ts'
import { objectIn } from '../data-file.ts'
import { checkUrl, headersOf } from '../eval/endpoint.ts'
import { messageOf, systemCode } from '../usage-error.ts'
import type { SourceInvocation } from './source.ts'

export interface ServerAddress {
  /** As the user wrote it, with or without `/v1`. */
  readonly url: string
  readonly apiKey: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/**
 * Opens the server of a command with its key, headers and timeout.
 *
 * @throws UsageError for a wrong address or option, InputError for a server that is unreachable or shows nothing
 */
export function openServer(url: string, { options, environment }: SourceInvocation): Promise<TemplateSource> {
  checkUrl(url)
  const server: ServerAddress = {
    url,
    apiKey: environment[options.text('api-key-env') ?? 'OPENAI_API_KEY'] || null,
    headers: headersOf({}, { header: options.list('header'), environment }),
    timeoutMs: durationFrom('--timeout', options.text('timeout') ?? '20', { min: 1, max: 600_000 }),
  }
  return openServerAt(server, { name: options.text('name'), model: options.text('model') })
}

/** The same for an address from elsewhere. */
export function openServerAt(
  server: ServerAddress,
  which: { readonly name: string | null; readonly model: string | null },
): Promise<TemplateSource> {
  const address = redactedUrl(server.url).replace(/\/$/, '')
  return openTemplateServer((request) => fetchServerJson(server, request), { address, ...which })
}

/** Longer responses are not read. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** Sends one request to a server. Never throws for what the server does. */
async function fetchServerJson(
  { url, apiKey, headers, timeoutMs }: ServerAddress,
  { path, body }: Parameters<FetchServer>[0],
): Promise<ServerResponse> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const fetch = await loadTransport()
    const response = await fetch(requestUrl(url, path), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      // Following it, `fetch` would send headers that hold keys to another machine.
      redirect: 'manual',
    })
    if (response.status >= 300 && response.status < 400)
      return { kind: 'unreachable', reason: 'a redirect, which is not followed: give the address that it leads to' }
    // Servers repeat a key that they reject.
    const text = redact(await boundedText(response), [apiKey ?? '', ...Object.values(headers)])
    const value = objectIn(text)
    return value === null
      ? { kind: 'text', status: response.status, text }
      : { kind: 'json', status: response.status, value }
  } catch (error) {
    if (signal.aborted) return { kind: 'unreachable', reason: `no response within ${timeoutMs / 1000} s` }
    return { kind: 'unreachable', reason: systemCode(error) ?? messageOf(error) }
  }
}

/** Engines have their own paths next to `/v1`, not below it. */
function requestUrl(url: string, path: string): URL {
  const full = new URL(url)
  full.pathname = full.pathname.replace(/\/(?:v1\/?)?$/, '') + path
  full.hash = ''
  return full
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += bytes.length
    if (size > MAX_RESPONSE_BYTES) throw new Error('the response is longer than 64 MB')
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}
