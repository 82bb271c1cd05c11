import { bindEpisode } from '../client/bound-client.ts'
import { draining } from '../play/run-model.ts'
import type { RunModel } from '../play/run-model.ts'
import type { ResolvedConfig, ResolvedModel } from './run-config.ts'
import type { EpisodeKey } from '../trace/trace.ts'
import { createServers } from './servers.ts'
import type { ServersOptions } from './servers.ts'
import type { ServerIdentities } from './server-identities.ts'
import type { Client } from '../client/client.ts'

/** How the models of a run are reached. */
export interface ReachOptions extends ServersOptions {
  /** Makes the client of a model, instead of `createClient` with what the config says. */
  readonly clientFor?: ((model: ResolvedModel) => Client) | undefined
  /** Puts something round the client of a model. */
  readonly wrapClient?: ((client: Client, model: ResolvedModel) => Client) | undefined
  /** What those said that an interrupted run was played on. */
  readonly recorded?: ServerIdentities | undefined
}

/** The model of an episode; `before`: the endpoint that its last recorded turn came from. */
export type ReachModel = (key: EpisodeKey, before?: string | null) => RunModel

/** One client per server and key, one limit and one breaker per server; where a model has several servers, one pool of them. */
export function reachModels(resolved: ResolvedConfig, options: ReachOptions): ReachModel {
  const { clientFor, wrapClient, drain, recorded = {} } = options
  const servers = createServers(resolved, options)
  const models = new Map<string, (before: string | null) => RunModel>()
  for (const model of resolved.models.values()) {
    const ready = (direct: Client): RunModel => {
      const client = wrapClient?.(direct, model) ?? direct
      return draining({ client, settings: model.settings }, drain)
    }
    if (clientFor !== undefined || model.endpoints.length === 1) {
      const only = ready(clientFor?.(model) ?? servers.client(model.endpoints[0]))
      models.set(model.id, () => only)
      continue
    }
    const pool = servers.pool(model.endpoints)
    models.set(model.id, (endpoint) => {
      const before = endpoint === null ? null : { endpoint, identity: recorded[endpoint] ?? null }
      return ready(bindEpisode(pool, before))
    })
  }
  return (key, before = null) => {
    const model = models.get(key.model)
    if (model === undefined) throw new Error(`callspec: the plan names the unknown model ${key.model}`)
    return model(before)
  }
}
