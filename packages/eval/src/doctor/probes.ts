import type { Client, CompletionRequest } from '../client/client.ts'
import type { Completion } from '../client/completion.ts'
import type { Failure } from '../client/failure.ts'
import type { Protocol } from '../protocol.ts'
import { firstRequest } from '../run/first-request.ts'
import type { RequestSettings } from '../run/request-settings.ts'
import { loadBuiltInSuite } from '../suite/read-suite.ts'
import { offeredTools } from '../suite/task.ts'

/** What came of one probe. `late`: there was no time left for it, or it was not made. */
export type Probe =
  | { readonly kind: 'reply'; readonly reply: Completion }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'late' }

/** Makes the probes of one endpoint, with bounded answers. */
export interface Prober {
  /** The first request of a task under a protocol, whole or streamed. */
  readonly ask: (how: ProbeOptions) => Promise<Probe>
}

/** What differs from one probe to the next. */
export interface ProbeOptions {
  readonly protocol: Protocol
  readonly stream?: boolean
  readonly api?: RequestSettings['api']
  /** Default 0: a greedy answer. */
  readonly temperature?: number
  /** The only stop word; none by default. */
  readonly stop?: string
}

/** Long enough for a call, short enough for a slow server. */
export const PROBE_TOKENS = 200
/** Any number does, as long as it is always the same. */
const SEED = 7

/** @param clients the same endpoint, asked for whole replies and for streams */
export function createProber(
  clients: { readonly whole: Client; readonly streamed: Client },
  model: string,
  signal: AbortSignal,
): Prober {
  const suite = loadBuiltInSuite()
  const [task] = suite.tasks
  if (task === undefined) throw new Error('callspec: the built-in suite is empty')
  const requestOf = ({ protocol, api = 'chat', temperature = 0, stop }: ProbeOptions): CompletionRequest => {
    const limits = { temperature, max_tokens: PROBE_TOKENS }
    const parameters = stop === undefined ? limits : { ...limits, stop }
    const settings: RequestSettings = { name: model, api, stops: 'off', parameters }
    return firstRequest({ protocol, task, tools: offeredTools(suite, task), sample: SEED, settings })
  }
  return {
    ask: async (how) => {
      if (signal.aborted) return { kind: 'late' }
      const client = how.stream === true ? clients.streamed : clients.whole
      try {
        const outcome = await client.complete(requestOf(how), signal)
        return outcome.kind === 'done'
          ? { kind: 'reply', reply: outcome.value }
          : { kind: 'failure', failure: outcome.error.failure }
      } catch (error) {
        if (signal.aborted) return { kind: 'late' }
        throw error
      }
    },
  }
}
