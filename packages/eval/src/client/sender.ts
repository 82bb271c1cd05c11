import { splitAddress } from './address.ts'
import { connectionFailure, serverRefusal } from './refusal.ts'
import { accountHeaders, DUMMY_KEY } from './headers.ts'
import type { EndpointHeaders } from './headers.ts'
import { createLeanFetch, leanFetchFrom } from './lean-fetch.ts'
import type { LeanResponse } from './lean-fetch.ts'

/** Where requests go, and what opens the door there. */
export interface SenderOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers?: EndpointHeaders | undefined
  /** Default: connections of its own, which are kept. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Sends requests to one server: neither repeats them nor has a deadline of its own. */
export interface Sender {
  /**
   * @param path below the base URL, such as `/models`, or a whole address
   * @returns an answer with a good status
   * @throws CompletionError for any other one, and where there is no connection
   */
  get(path: string, signal: AbortSignal): Promise<LeanResponse>
  /** The same with a body of JSON. */
  post(path: string, body: object, signal: AbortSignal): Promise<LeanResponse>
}

/**
 * A sender with what belongs to an endpoint: its key, its headers, and the query of its address. All of it is made ready once,
 * because a run sends thousands of requests a second. Nothing is looked at before the first request.
 */
export function createSender({ baseUrl, apiKey, headers = {}, fetch }: SenderOptions): Sender {
  const lean = fetch === undefined ? createLeanFetch() : leanFetchFrom(fetch)
  const addressOf = addresses(baseUrl)
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const sendsKey = apiKey !== DUMMY_KEY || own.length === 0
  const asking = {
    accept: 'application/json',
    'user-agent': 'callspec',
    ...accountHeaders(process.env),
    ...(sendsKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...Object.fromEntries(own),
  }
  const telling = { ...asking, 'content-type': 'application/json' }
  const send = async (...[url, init]: Parameters<typeof lean>): Promise<LeanResponse> => {
    let response: LeanResponse
    try {
      response = await lean(url, init)
    } catch (error) {
      throw connectionFailure(error)
    }
    if (response.ok) return response
    throw await serverRefusal(response)
  }
  return {
    get: async (path, signal) => send(addressOf(path), { method: 'GET', headers: asking, signal }),
    post: async (path, body, signal) =>
      send(addressOf(path), { method: 'POST', headers: telling, body: JSON.stringify(body), signal }),
  }
}

/** Whole addresses, each made once. */
function addresses(baseUrl: string): (path: string) => string {
  const { url, query } = splitAddress(baseUrl)
  const base = url.endsWith('/') ? url.slice(0, -1) : url
  const known = new Map<string, string>()
  return (path) => {
    const found = known.get(path)
    if (found !== undefined) return found
    const { href } = new URL(/^[a-z][a-z0-9+.-]*:/i.test(path) ? path : `${base}${path}`)
    const address = query === '' ? href : `${href}${href.includes('?') ? '&' : '?'}${query}`
    known.set(path, address)
    return address
  }
}
