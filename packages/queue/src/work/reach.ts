import type {
  BaseUrls,
  EndpointHeaders,
  RecordedServer,
  RunConfig,
  RunManifest,
  Suite,
  EpisodeKey,
  RunModel,
  Client,
} from '@callspec/eval'
import type { ResolvedModel, ServerEvent, ServerIdentity } from '@callspec/eval/worker-parts'
import {
  identityText,
  reachModels,
  resolveConfig,
  RunError,
  serverIdentity,
  serverText,
  sha256,
  isSameServer,
} from '@callspec/eval/worker-parts'
import type { Build, ServerOfModel, NamedServers } from '../redis/reports.ts'
import type { PublishedRun } from '../published-run.ts'
import { hostname } from 'node:os'

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

/** How the models of a run are asked from here. */
export interface ReachedRun {
  readonly suite: Suite
  /** @param endpoint where the episode was played so far, by the name that it has here; null for nowhere here */
  readonly modelFor: (key: EpisodeKey, endpoint?: string | null) => RunModel
  /** Where an episode goes on that the server of a name began. */
  readonly placeAfter: (
    key: EpisodeKey,
    before: { readonly name: string; readonly identity: ServerIdentity | null },
  ) => Place
  /** What the servers say of themselves, by the names that the journal gives them. */
  readonly servers: NamedServers
  /** What the engines say of their builds. */
  readonly builds: readonly Build[]
  /** What each server of each model says of itself; null for one that does not answer. */
  readonly identities: () => Promise<readonly ServerOfModel[]>
}

/** What the servers of a worker say of themselves, by the names that the worker has for them; null for one that is silent. */
export type OwnServers = Readonly<Record<string, ServerIdentity | null>>

/** The name of a server in the journal: every machine may have one at the same address of its own. */
export function nameInJournal(endpoint: string, host: string = hostname()): string {
  return isOwnAddress(endpoint) ? `${endpoint} at ${host}` : endpoint
}

function isOwnAddress(url: string): boolean {
  const name = URL.canParse(url) ? new URL(url).hostname : ''
  return name === 'localhost' || name.endsWith('.localhost') || /^127\.|^\[::1\]$|^0\.0\.0\.0$/.test(name)
}

/** What the others may know of them. */
export function namedInJournal(own: OwnServers): NamedServers {
  const known = Object.entries(own).flatMap(([name, identity]) =>
    identity === null ? [] : [[nameInJournal(name), identity] as const],
  )
  return Object.fromEntries(known)
}

/** The model, whose replies say who gave them by the name that the journal has. */
export function namingServers(model: RunModel, { endpoints: [only] }: Pick<ResolvedModel, 'endpoints'>): RunModel {
  const { client } = model
  const complete: Client['complete'] = async (request, signal) => {
    const outcome = await client.complete(request, signal)
    const tried = outcome.tried?.map((each) => ({ ...each, endpoint: nameInJournal(each.endpoint) }))
    const endpoint = nameInJournal(outcome.endpoint ?? only.name)
    return { ...outcome, endpoint, ...(tried === undefined ? {} : { tried }) }
  }
  return { ...model, client: { ...client, complete } }
}

/**
 * Where an episode goes on that a server has begun.
 *
 * - `here`: at a server of this worker that is like it, or at any where nobody knows
 * - `anew`: those of this worker are others
 */
export type Place = { readonly kind: 'here'; readonly endpoint: string | null } | { readonly kind: 'anew' }

/** @param before what the server of the turns so far says of itself; null for one that nobody knows */
export function placeAfter(
  { name, identity: before }: { readonly name: string; readonly identity: ServerIdentity | null },
  { endpoints }: Pick<ResolvedModel, 'endpoints'>,
  own: OwnServers,
): Place {
  const names = endpoints.map((endpoint) => endpoint.name)
  const itself = names.find((each) => nameInJournal(each) === name)
  const alike = itself ?? names.find((each) => isSameServer(own[each] ?? null, before))
  if (alike !== undefined) return { kind: 'here', endpoint: alike }
  const isUnknown = before === null || names.some((each) => (own[each] ?? null) === null)
  return isUnknown ? { kind: 'here', endpoint: null } : { kind: 'anew' }
}
