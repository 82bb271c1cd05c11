import type { BaseUrls, EndpointHeaders, RecordedServer, RunConfig, RunManifest, Suite } from '@callspec/eval'
import {
  identityText,
  reachModels,
  resolveConfig,
  RunError,
  serverIdentity,
  serverText,
  sha256,
} from '@callspec/eval/worker-parts'
import type { ResolvedModel, ServerEvent, ServerIdentity } from '@callspec/eval/worker-parts'
import type { Build, ServerOfModel } from '../redis/builds.ts'
import type { PublishedRun } from '../published-run.ts'
import { namedInJournal, namingServers, placeAfter } from './own-servers.ts'
import type { OwnServers } from './own-servers.ts'
import type { ReachedRun } from './reached-run.ts'

/** Whom a worker asks for a model. */
export interface WorkerEndpoint {
  /** Or several that share the work. */
  readonly baseUrl: BaseUrls
  readonly apiKey?: string
  readonly headers?: EndpointHeaders
}

/** What a worker knows that does not stand in the queue. */
export interface ReachRunOptions {
  /** The endpoint of a model; `recorded` is the one that the run names, without secrets. */
  readonly endpointOf: (model: {
    readonly id: string
    readonly name: string
    readonly recorded: string
    /** All that it names, with their shares of the work; the first one is `recorded`. */
    readonly all: readonly RecordedServer[]
  }) => WorkerEndpoint
  /** The suite whose tools are code, where the caller lets it run; null for none. */
  readonly ownSuite: Suite | null
  /** Patience of this worker, over that of the run. */
  readonly patience?: Pick<RunConfig, 'timeoutMs' | 'maxRetries' | 'waitForServerMs'>
  readonly onEvent?: (event: ServerEvent) => void
  readonly asksEngines?: boolean
}

/**
 * The models of a run as they are reached from here, and its suite with its tools.
 *
 * @throws RunError for tools that are missing or others, and for a plan that this program would play otherwise
 */
export async function reachRun(
  published: PublishedRun,
  { endpointOf, ownSuite, patience = {}, onEvent, asksEngines = true }: ReachRunOptions,
  drain: AbortSignal,
): Promise<ReachedRun> {
  const { manifest } = published
  const suite = suiteOf(published, ownSuite)
  const resolved = resolveConfig(configOf(manifest, { suite, endpointOf, patience }), new Date(manifest.startedAt))
  if (resolved.manifest.config !== manifest.config)
    throw new RunError(
      `this callspec would ask otherwise than the one that began run ${published.run}: install the same.`,
    )
  const how = { signal: drain }
  const models = [...resolved.models.values()]
  const own = asksEngines ? await identitiesOf(models, how) : {}
  const identities = asksEngines ? own : undefined
  const modelFor = reachModels(resolved, { drain, onEvent, identities, recorded: own })
  const modelOf = (id: string): ResolvedModel => {
    const found = resolved.models.get(id)
    if (found === undefined) throw new Error(`callspec: the plan names the unknown model ${id}`)
    return found
  }
  return {
    suite,
    builds: models.flatMap((model) => buildsOf(model, own)),
    servers: namedInJournal(own),
    identities: async () => serversOf(models, how),
    modelFor: (key, endpoint = null) => namingServers(modelFor(key, endpoint), modelOf(key.model)),
    placeAfter: (key, before) => placeAfter(before, modelOf(key.model), own),
  }
}

type How = { readonly signal: AbortSignal }

/** Asks every server once. */
async function identitiesOf(models: readonly ResolvedModel[], how: How): Promise<OwnServers> {
  const all = new Map(models.flatMap(({ endpoints }) => endpoints).map((endpoint) => [endpoint.name, endpoint]))
  const found = [...all.values()].map(
    async ({ name, baseUrl, apiKey, headers }) =>
      [name, await serverIdentity({ baseUrl, apiKey, headers, ...how })] as const,
  )
  return Object.fromEntries(await Promise.all(found))
}

function buildsOf({ id, endpoints }: ResolvedModel, own: OwnServers): readonly Build[] {
  return endpoints.flatMap(({ name }) => {
    const build = own[name]?.build ?? null
    return build === null ? [] : [[id, build] as const]
  })
}

/** Asks each server of each model, one after the other. */
async function serversOf(models: readonly ResolvedModel[], how: How): Promise<readonly ServerOfModel[]> {
  const found: ServerOfModel[] = []
  for (const { id: model, endpoints } of models)
    for (const { name: server, baseUrl, apiKey, headers } of endpoints) {
      const identity = await serverIdentity({ baseUrl, apiKey, headers, ...how })
      found.push({ model, server, says: identity === null ? null : saidBy(identity) })
    }
  return found
}

/** For people, and another text for every other identity: long lists of models are shortened. */
function saidBy(identity: ServerIdentity): string {
  return `${serverText(identity)} (${sha256(identityText(identity)).slice(0, 8)})`
}

function suiteOf({ suite }: PublishedRun, own: Suite | null): Suite {
  if (!suite.hasOwnTools) return suite
  if (own === null)
    throw new RunError(
      `the tools of the suite ${suite.name} are code: give --suite FILE, and --allow-suite-code to let it run here.`,
    )
  if (own.hash !== suite.hash || own.toolbox === undefined)
    throw new RunError(
      `the suite ${own.name} here is not the one of the run (${own.hash.slice(0, 12)} here, ${suite.hash.slice(0, 12)} there): take the same version of ${suite.name}.`,
    )
  return { ...suite, toolbox: own.toolbox }
}

interface Known extends Pick<ReachRunOptions, 'endpointOf'> {
  readonly suite: Suite
  readonly patience: NonNullable<ReachRunOptions['patience']>
}

function configOf(manifest: RunManifest, { suite, endpointOf, patience }: Known): RunConfig {
  const {
    models,
    endpoints,
    parameters,
    protocols,
    repeat,
    seed,
    shard,
    stops,
    api,
    stream,
    tasks,
    prompt = 'maker',
  } = manifest
  const { timeoutMs, maxRetries, waitForServerMs } = manifest.settings
  return {
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
    ...(typeof maxRetries === 'number' ? { maxRetries } : {}),
    ...(typeof waitForServerMs === 'number' ? { waitForServerMs } : {}),
    ...patience,
    models: models.map((id) => {
      const { name = id, baseUrl: recorded = '', all = [{ baseUrl: recorded }] } = endpoints[id] ?? {}
      return { id, name, ...endpointOf({ id, name, recorded, all }), parameters: parameters[id] ?? {} }
    }),
    ...{ suite, tasks, formats: protocols, repeat, seed, shard, stops, api, stream, prompt },
  }
}
