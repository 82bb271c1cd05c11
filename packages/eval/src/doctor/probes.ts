import type { Client, CompletionRequest } from '../client/client.ts'
import type { FormatName } from '../trace/format-names.ts'
import { firstRequest } from '../play/first-request.ts'
import type { RequestSettings } from '../trace/request-settings.ts'
import { loadBuiltInSuite } from '../suite/read-suite.ts'
import { offeredTools } from '../trace/task.ts'
import type { ToolSpec } from '../trace/task.ts'
import type { Modes, Probe } from './probe.ts'
import { hangs } from './refuses-all.ts'

/** Makes the probes of one endpoint, with bounded answers. */
export interface Prober {
  /** The tools of the question. */
  readonly tools: readonly ToolSpec[]
  /** The first request of a task under a format, as it goes over the wire. */
  readonly requestOf: (how: ProbeOptions) => CompletionRequest
  /** Sends it, whole or streamed. */
  readonly ask: (how: ProbeOptions) => Promise<Probe>
  /** Sends it whole, then streamed. */
  readonly askBoth: (how: ProbeOptions) => Promise<Modes>
  /** Sends any other one. */
  readonly send: (request: CompletionRequest) => Promise<Probe>
}

/** What differs from one probe to the next. */
export interface ProbeOptions {
  readonly format: FormatName
  readonly stream?: boolean
  readonly api?: RequestSettings['api']
  /** Default 0: a greedy answer. */
  readonly temperature?: number
  /** Default: `SEED`. */
  readonly seed?: number
  /** How long the answer may be, in tokens. Default: `PROBE_TOKENS`. */
  readonly tokens?: number
  /** What the model is told before the question; nothing by default. */
  readonly system?: string
  /** Further fields of the request. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** Long enough for a call, short enough for a slow server. */
export const PROBE_TOKENS = 200
/** Any number does, as long as it is always the same. */
export const SEED = 7

/** @param clients the same endpoint, asked for whole replies and for streams */
export function createProber(
  clients: { readonly whole: Client; readonly streamed: Client },
  model: string,
  signal: AbortSignal,
): Prober {
  const suite = loadBuiltInSuite()
  const [task] = suite.tasks
  if (task === undefined) throw new Error('callspec: the built-in suite is empty')
  const tools = offeredTools(suite, task)
  const requestOf = (how: ProbeOptions): CompletionRequest => {
    const { format, api = 'chat', temperature = 0, seed = SEED, tokens = PROBE_TOKENS, system } = how
    const parameters = { temperature, max_tokens: tokens, ...how.parameters }
    const settings: RequestSettings = { name: model, api, stops: 'off', parameters }
    const told = system === undefined ? {} : { system }
    return firstRequest({ format, task, tools, sample: seed, settings, ...told })
  }
  // Whoever hangs is asked once: the next answer would be as late.
  const sendBy = async (client: Client, request: CompletionRequest, mayRetry = true): Promise<Probe> => {
    if (signal.aborted) return { kind: 'late' }
    try {
      const outcome = await client.complete(request, signal)
      if (outcome.kind === 'done') return { kind: 'reply', reply: outcome.value }
      const { failure } = outcome.error
      if (mayRetry && failure.kind === 'infra' && !hangs(failure)) return await sendBy(client, request, false)
      return { kind: 'failure', failure }
    } catch (error) {
      if (signal.aborted) return { kind: 'late' }
      throw error
    }
  }
  const ask = async (how: ProbeOptions): Promise<Probe> =>
    sendBy(how.stream === true ? clients.streamed : clients.whole, requestOf(how))
  return {
    tools,
    requestOf,
    ask,
    askBoth: async (how) => ({ whole: await ask(how), streamed: await ask({ ...how, stream: true }) }),
    send: async (request) => sendBy(clients.whole, request),
  }
}
