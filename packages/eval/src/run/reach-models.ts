import { createBreaker } from '../client/breaker.ts'
import type { Breaker, Outage } from '../client/breaker.ts'
import { createClient } from '../client/client.ts'
import type { Client } from '../client/client.ts'
import { createLimiter } from '../client/limiter.ts'
import type { Limiter } from '../client/limiter.ts'
import type { Failure } from '../trace/failure.ts'
import { draining } from '../play/play-plan.ts'
import type { RunModel } from '../play/play-plan.ts'
import { withoutSecrets } from './run-config.ts'
import type { ResolvedConfig, ResolvedModel } from './run-config.ts'
import type { EpisodeKey } from '../trace/trace.ts'

/** What is told of the servers of a run. */
export type ServerEvent =
  /** Nobody answers at a server, or somebody does again. Its address is without secrets. */
  | { readonly type: 'outage'; readonly baseUrl: string; readonly outage: Outage }
  /** A server asks to wait, because of what it answered. */
  | {
      readonly type: 'told-to-wait'
      readonly baseUrl: string
      readonly milliseconds: number
      readonly failure: Failure
    }

/** How the models of a run are reached. */
export interface ReachOptions {
  /** Nothing more is asked when it is aborted; replies that are under way come to their end. */
  readonly drain: AbortSignal
  readonly fetch?: typeof fetch | undefined
  /** Makes the client of a model, instead of `createClient` with what the config says. */
  readonly clientFor?: ((model: ResolvedModel) => Client) | undefined
  /** Puts something round the client of a model. */
  readonly wrapClient?: ((client: Client, model: ResolvedModel) => Client) | undefined
  readonly onEvent?: ((event: ServerEvent) => void) | undefined
}

/** What all share who ask one server. */
interface Endpoint {
  readonly limiter: Limiter
  readonly breaker: Breaker
}

/** One client per server and key, one limit and one breaker per server. */
export function reachModels(
  resolved: ResolvedConfig,
  { clientFor, wrapClient, fetch, drain, onEvent }: ReachOptions,
): (key: EpisodeKey) => RunModel {
  const { timeoutMs, maxRetries, stream, waitForServerMs } = resolved
  const clients = new Map<string, Client>()
  const endpoints = new Map<string, Endpoint>()
  const endpointOf = (baseUrl: string): Endpoint => {
    const onOutage = (outage: Outage): void => onEvent?.({ type: 'outage', baseUrl: withoutSecrets(baseUrl), outage })
    const breaker = (): Breaker => createBreaker({ patienceMs: waitForServerMs, onOutage })
    const endpoint = endpoints.get(baseUrl) ?? { limiter: createLimiter(), breaker: breaker() }
    endpoints.set(baseUrl, endpoint)
    return endpoint
  }
  const make = ({ baseUrl, apiKey, headers }: ResolvedModel): Client => {
    const own = fetch === undefined ? {} : { fetch }
    const onTold = (milliseconds: number, failure: Failure): void =>
      onEvent?.({ type: 'told-to-wait', baseUrl: withoutSecrets(baseUrl), milliseconds, failure })
    return createClient({
      ...{ baseUrl, apiKey, headers, timeoutMs, maxRetries, stream, drain, onTold },
      ...endpointOf(baseUrl),
      ...own,
    })
  }
  const models = new Map<string, RunModel>()
  for (const model of resolved.models.values()) {
    const server = JSON.stringify([model.baseUrl, model.apiKey, model.headers])
    const direct = clientFor?.(model) ?? clients.get(server) ?? make(model)
    clients.set(server, direct)
    const client = wrapClient?.(direct, model) ?? direct
    models.set(model.id, draining({ client, settings: model.settings }, drain))
  }
  return (key) => {
    const model = models.get(key.model)
    if (model === undefined) throw new Error(`callspec: the plan names the unknown model ${key.model}`)
    return model
  }
}
