import type { Sign } from './breaker.ts'
import { withDeadline } from './deadline.ts'
import { completionErrorOf, infraError } from './failure.ts'
import type { CompletionError } from './failure.ts'
import type { Sender } from './sender.ts'

/** Bad gateway, unavailable, gateway time-out: what stands in front of a server that is gone, or it while it starts, says so. */
const NOBODY: ReadonlySet<number> = new Set([502, 503, 504])

/** What a failure says of the endpoint: whether anybody is there. */
export function signOf({ failure, isConnection, retryAfterMs }: CompletionError): Sign {
  const { kind, status } = failure
  if (isConnection) return 'down'
  // A server that says when to come back is there.
  if (status !== null) return NOBODY.has(status) && retryAfterMs === null ? 'down' : 'answered'
  return kind === 'infra' || kind === 'unreachable' ? 'unclear' : 'answered'
}

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
      const answer = await server.get('/models', aborted)
      return answer.text()
    })
    return true
  } catch (error) {
    signal.throwIfAborted()
    const known = completionErrorOf(error)
    if (known === null) throw error
    return signOf(known) === 'answered'
  }
}
