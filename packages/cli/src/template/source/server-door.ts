import { redact, redactedUrl } from '@callspec/eval'
import { objectIn } from '../../json-object.ts'
import { messageOf, systemCode } from '../../usage-error.ts'

/** Whom to ask, and how. */
export interface ServerAddress {
  /** As the caller wrote it, with or without `/v1`. */
  readonly url: string
  readonly apiKey: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** What came of one request. */
export type DoorAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly value: Readonly<Record<string, unknown>> }
  /** An answer that is no JSON object. */
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  /** No answer at all, and why. */
  | { readonly kind: 'silent'; readonly reason: string }

/** No answer of interest comes near it. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Asks one door of a server. Never throws for what the server does.
 *
 * @param request.path below the server's root: `/props`
 * @param request.body JSON text to post; without it the door is read
 */
export async function askDoor(
  { url, apiKey, headers, timeoutMs }: ServerAddress,
  { path, body }: { readonly path: string; readonly body?: string },
): Promise<DoorAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(doorUrl(url, path), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      // `fetch` would take headers that hold keys along to another machine.
      redirect: 'manual',
    })
    if (response.status >= 300 && response.status < 400)
      return { kind: 'silent', reason: 'a redirect, which is not followed: name the address that it leads to' }
    // Servers repeat the key that they refuse.
    const text = redact(await boundedText(response), [apiKey ?? '', ...Object.values(headers)])
    const value = objectIn(text)
    return value === null
      ? { kind: 'text', status: response.status, text }
      : { kind: 'json', status: response.status, value }
  } catch (error) {
    if (signal.aborted) return { kind: 'silent', reason: `no answer within ${timeoutMs / 1000} s` }
    return { kind: 'silent', reason: reasonOf(error) }
  }
}

/** The address as it may be printed. */
export function shownAddress(url: string): string {
  return redactedUrl(url).replace(/\/$/, '')
}

/** Doors of engines stand beside `/v1`, those of OpenAI within it. */
function doorUrl(url: string, path: string): URL {
  const door = new URL(url)
  door.pathname = door.pathname.replace(/\/(?:v1\/?)?$/, '') + path
  door.hash = ''
  return door
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += bytes.length
    if (size > MAX_BYTES) throw new Error('the answer is longer than 64 MB')
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}

/** `fetch` hides what happened behind "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return systemCode(cause) ?? messageOf(cause)
}
