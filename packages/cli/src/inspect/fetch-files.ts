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
  let own = headers
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    // Not again, either, if the other site leads back.
    if (url.origin !== first.origin) own = {}
    const response = await fetch(url, { headers: { accept: '*/*', ...range, ...own }, redirect: 'manual', signal })
    const to = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || to === null)
      return withHint(await readResponse(response, request), headers)
    await response.body?.cancel()
    const next = URL.canParse(to, url.href) ? new URL(to, url) : null
    if (next === null || !/^https?:$/.test(next.protocol) || (url.protocol === 'https:' && next.protocol === 'http:'))
      return { kind: 'failed', why: `a redirect to "${quotedLine(to)}", which is not followed` }
    url = next
  }
  return { kind: 'failed', why: `more than ${MOST_REDIRECTS} redirects` }
}

/** What a login would open: which option sends a token, or that the one that was sent is not enough. */
function withHint(answer: PartResponse, headers: FetchSettings['headers']): PartResponse {
  if (answer.kind !== 'failed' || answer.needsLogin !== true) return answer
  const isSent = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const hint = isSent
    ? 'The authorization that was sent does not open it'
    : "Send a token: --header 'authorization: Bearer ${HF_TOKEN}'"
  return { ...answer, why: `${answer.why}. ${hint}` }
}
