import { readResponse } from '@callspec/inspect'
import type { PartRequest, PartResponse, SendRequest } from '@callspec/inspect'
import { quotedLine } from '../output.ts'
import { messageOf, systemCode } from '../usage-error.ts'

/** What goes with every request to the first address. */
export interface FetchSettings {
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

const MOST_REDIRECTS = 5

/** Sends requests for files, each at most for its time. Headers of the user go to the origin of the address, until it leads elsewhere. */
export function fileSender({ headers, timeoutMs }: FetchSettings): SendRequest {
  return async (request) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await followed(request, { headers, signal })
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', why: `no response within ${timeoutMs / 1000} s` }
      return { kind: 'failed', why: fetchFailure(error, request.url) }
    }
  }
}

/** `fetch` reports "fetch failed"; the reason is in its cause. */
function fetchFailure(error: unknown, url: string): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const reason = systemCode(cause) ?? messageOf(cause)
  // The list of ports: https://fetch.spec.whatwg.org/#port-blocking
  if (reason === 'bad port')
    return `cannot be fetched: fetch blocks port ${new URL(url).port}, as browsers do. Serve the files on another port`
  return `cannot be fetched (${quotedLine(reason, 200)})`
}

async function followed(
  request: PartRequest,
  { headers, signal }: { readonly headers: FetchSettings['headers']; readonly signal: AbortSignal },
): Promise<PartResponse> {
  const range = request.range === undefined ? {} : { range: `bytes=${request.range[0]}-${request.range[1] - 1}` }
  const first = new URL(request.url)
  let url = first
  let own = headers
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    // Not again, either, if the other site leads back.
    if (url.origin !== first.origin) own = {}
    const response = await fetch(url, { headers: { accept: '*/*', ...range, ...own }, redirect: 'manual', signal })
    const to = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || to === null)
      return withHint(await readResponse(response, request), { headers, leftFor: own === headers ? null : url.host })
    await response.body?.cancel()
    const next = URL.canParse(to, url.href) ? new URL(to, url) : null
    if (next === null || !/^https?:$/.test(next.protocol) || (url.protocol === 'https:' && next.protocol === 'http:'))
      return { kind: 'failed', why: `a redirect to "${quotedLine(to)}", which is not followed` }
    url = next
  }
  return { kind: 'failed', why: `more than ${MOST_REDIRECTS} redirects` }
}

/** What a login would open: which option sends a token, or why the one that was given does not help. */
function withHint(
  answer: PartResponse,
  { headers, leftFor }: { readonly headers: FetchSettings['headers']; readonly leftFor: string | null },
): PartResponse {
  if (answer.kind !== 'failed' || answer.needsLogin !== true) return answer
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const hint = !isGiven
    ? "Send a token: --header 'authorization: Bearer ${HF_TOKEN}'"
    : leftFor === null
      ? 'The authorization that was sent does not open it'
      : `The address leads to ${quotedLine(leftFor)}, which is sent no token: give the address there`
  return { ...answer, why: `${answer.why}. ${hint}` }
}
