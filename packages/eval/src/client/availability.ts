import type { Sign } from './breaker.ts'
import { withDeadline } from './deadline.ts'
import { completionErrorOf, infraError } from './failure.ts'
import type { CompletionError } from './failure.ts'
import type { Sender } from './sender.ts'
import { bodyText } from './transport.ts'

/** Bad gateway, unavailable, gateway time-out: from a proxy whose server is down, or from a server that starts. */
const DOWN_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** What a failure means for the endpoint. */
export function signOf({ failure, isConnection, isRetryable, retryAfterMs }: CompletionError): Sign {
  const { kind, status } = failure
  if (isConnection || (status !== null && DOWN_STATUSES.has(status) && retryAfterMs === null)) return 'down'
  // A wrong key or certificate does not show whether the endpoint can answer.
  if (kind === 'configuration' || kind === 'unreachable') return 'unclear'
  const isOfRequest = status !== null && status >= 400 && status < 500 && !isRetryable
  return kind === 'infra' && !isOfRequest ? 'failing' : 'answered'
}

/** Whether the server only asks to wait: too many requests, or a time to retry. */
export function asksToWait({ failure, retryAfterMs }: CompletionError): boolean {
  return failure.status === TOO_MANY_REQUESTS || retryAfterMs !== null
}

const TOO_MANY_REQUESTS = 429

const PROBE_MS = 10_000

/**
 * Whether the server answers a request for its list of models, which costs nothing; any answer except 502, 503 and 504 counts. Never throws
 * for what a server does.
 *
 * @throws what the signal was aborted with
 */
export async function isAnswering(server: Sender, signal: AbortSignal): Promise<boolean> {
  const late = (): CompletionError => infraError('the server did not answer in time', true)
  try {
    await withDeadline({ timeoutMs: PROBE_MS, signal }, late, async (aborted) => {
      return bodyText(await server.get('/models', aborted))
    })
    return true
  } catch (error) {
    signal.throwIfAborted()
    const known = completionErrorOf(error)
    if (known === null) throw error
    return known.failure.status !== null && signOf(known) !== 'down'
  }
}
