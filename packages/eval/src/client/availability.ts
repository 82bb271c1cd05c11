import type { Sign } from './breaker.ts'
import { withDeadline } from './deadline.ts'
import { completionErrorOf, infraError } from './failure.ts'
import type { CompletionError } from './failure.ts'
import type { Sender } from './sender.ts'
import { bodyText } from './transport.ts'

/** Bad gateway, unavailable, gateway time-out: what stands in front of a server that is gone, or it while it starts, says so. */
const NOBODY: ReadonlySet<number> = new Set([502, 503, 504])

/** What a failure says of the endpoint. Of `failing`, see `Sign`. */
export function signOf({ failure, isConnection, isRetryable, retryAfterMs }: CompletionError): Sign {
  const { kind, status } = failure
  if (isConnection || (status !== null && NOBODY.has(status) && retryAfterMs === null)) return 'down'
  // A wrong key says nothing about other requests that were answered, nor does a certificate.
  if (kind === 'configuration' || kind === 'unreachable') return 'unclear'
  const isOfRequest = status !== null && status >= 400 && status < 500 && !isRetryable
  return kind === 'infra' && !isOfRequest ? 'failing' : 'answered'
}

/** Whether a failure only asks for patience: too many requests, or a time to come back at. */
export function asksToWait({ failure, retryAfterMs }: CompletionError): boolean {
  return failure.status === TOO_MANY_REQUESTS || retryAfterMs !== null
}

const TOO_MANY_REQUESTS = 429

/** Of one probe. */
const PROBE_MS = 10_000

/**
 * Whether anybody answers, whatever it is: the list of models costs nothing, and a server that has none says so. Never throws
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
