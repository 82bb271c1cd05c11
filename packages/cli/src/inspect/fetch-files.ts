import type { PartRequest, PartResponse, SendRequest } from '@callspec/inspect'
import { clause, quotedLine } from '../output.ts'
import { messageOf, systemCode } from '../usage-error.ts'

/** What goes with every request to the first address. */
export interface FetchSettings {
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

const MOST_REDIRECTS = 5

/** Sends requests for files, each at most for its time. Headers of the user go to the origin of the first address alone. */
export function fileSender({ headers, timeoutMs }: FetchSettings): SendRequest {
  return async (request) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await followed(request, { headers, signal })
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', why: `no response within ${timeoutMs / 1000} s` }
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      return { kind: 'failed', why: `cannot be fetched (${quotedLine(systemCode(cause) ?? messageOf(cause), 200)})` }
    }
  }
}

async function followed(
  request: PartRequest,
  { headers, signal }: { readonly headers: FetchSettings['headers']; readonly signal: AbortSignal },
): Promise<PartResponse> {
  const range = request.range === undefined ? {} : { range: `bytes=${request.range[0]}-${request.range[1] - 1}` }
  const first = new URL(request.url)
  let url = first
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const own = url.origin === first.origin ? headers : {}
    const response = await fetch(url, { headers: { accept: '*/*', ...range, ...own }, redirect: 'manual', signal })
    const to = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || to === null) return answerOf(response, request)
    await response.body?.cancel()
    const next = URL.canParse(to, url.href) ? new URL(to, url) : null
    if (next === null || !/^https?:$/.test(next.protocol) || (url.protocol === 'https:' && next.protocol === 'http:'))
      return { kind: 'failed', why: `a redirect to "${quotedLine(to)}", which is not followed` }
    url = next
  }
  return { kind: 'failed', why: `more than ${MOST_REDIRECTS} redirects` }
}

async function answerOf(response: Response, { most }: PartRequest): Promise<PartResponse> {
  const { status } = response
  if (status === 200 || status === 206) {
    const { bytes, isCut } = await boundedBytes(response, most)
    const [, start, total] =
      /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(response.headers.get('content-range') ?? '') ?? []
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    const whole = status === 206 ? Number(total) : length
    return {
      kind: 'bytes',
      bytes,
      start: status === 206 ? Number(start ?? 0) : 0,
      size: Number.isSafeInteger(whole) ? whole : null,
      isCut,
    }
  }
  const text = new TextDecoder().decode((await boundedBytes(response, 1000)).bytes)
  if (status === 404 || status === 410) return { kind: 'absent' }
  // A server that knows ranges has nothing after the end of the file.
  if (status === 416) return { kind: 'bytes', bytes: new Uint8Array(0), start: 0, size: null, isCut: false }
  if (status === 401 || status === 403)
    return {
      kind: 'failed',
      why: `HTTP ${status}: there is no such model, or it asks for a login: --header 'authorization: Bearer \${HF_TOKEN}'`,
    }
  const said = /^\s*[<{]/.test(text) || text.trim() === '' ? '' : `: ${clause(quotedLine(text.trim(), 120))}`
  return { kind: 'failed', why: `HTTP ${status}${said}` }
}

async function boundedBytes(
  response: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop cancels the rest.
    if (size > most) break
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks)).subarray(0, most), isCut: size > most }
}
