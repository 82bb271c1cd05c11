import type { ServerIdentity } from '../trace/run-manifest.ts'
import { identityText } from '../trace/run-manifest.ts'
import { RunError } from '../trace/run-error.ts'
import { withDeadline } from '../client/limiter.ts'
import { CompletionError } from '../client/failure.ts'
import { openSender, bodyText } from '../client/sender.ts'
import { excerpt } from '../text/excerpt.ts'
import { isRecord, parsedJson, stringOrEmpty, objectIn } from '../text/json.ts'
import type { ResolvedModel } from './run-config.ts'
import { splitAddress } from '../client/redact.ts'
import type { ClientOptions } from '../client/client.ts'

/** The longest wait for a server that does not report its identity. */
const PATIENCE_MS = 2000
const MOST_MODELS = 1000

/**
 * The models and the build of a server; null if it did not answer. Never throws for what a server does.
 *
 * @throws what the signal was aborted with
 */
export async function serverIdentity(options: EngineOptions): Promise<ServerIdentity | null> {
  const [models, build] = await Promise.all([modelsOf(options), engineBuild(options)])
  return models === null ? null : { build, models }
}

async function modelsOf(options: EngineOptions): Promise<readonly string[] | null> {
  const { signal } = options
  const server = await openSender(options)
  const late = (): Error => new Error('the server did not say in time')
  try {
    return await withDeadline({ timeoutMs: PATIENCE_MS, signal }, late, async (deadline) => {
      const answer = await server.get('/models', deadline)
      return namesIn(parsedJson(await bodyText(answer)))
    })
  } catch (error) {
    signal?.throwIfAborted()
    // A server without a list, or without one for this key, is reachable all the same.
    return error instanceof CompletionError && error.failure.status !== null ? [] : null
  }
}

/** Distinguishes models of one name, as far as engines report it: where the weights come from, how long a context may be. */
function namesIn(value: unknown): readonly string[] {
  const data: readonly unknown[] = isRecord(value) && Array.isArray(value['data']) ? value['data'] : []
  const texts = data.slice(0, MOST_MODELS).flatMap((model) => {
    if (!isRecord(model) || stringOrEmpty(model['id']) === '') return []
    const root = stringOrEmpty(model['root'])
    const length = model['max_model_len']
    const more = [root === stringOrEmpty(model['id']) ? '' : root, typeof length === 'number' ? `${length} tokens` : '']
    return [
      [stringOrEmpty(model['id']), ...more]
        .filter((part) => part !== '')
        .map((part) => excerpt(part))
        .join(' '),
    ]
  })
  return [...new Set(texts)].toSorted()
}

/** The identities of servers by their names; null for one that did not answer. */
export type ServerIdentities = Readonly<Record<string, ServerIdentity | null>>

/** Asks the servers of those models that have several, each once. */
export async function identitiesOf(
  models: Iterable<ResolvedModel>,
  how: Pick<EngineOptions, 'fetch' | 'signal'>,
): Promise<ServerIdentities> {
  const asked = new Map<string, Promise<ServerIdentity | null>>()
  for (const { endpoints } of models)
    for (const { name, baseUrl, apiKey, headers } of endpoints.length === 1 ? [] : endpoints)
      if (!asked.has(name)) asked.set(name, serverIdentity({ baseUrl, apiKey, headers, ...how }))
  const found = [...asked].map(async ([name, identity]) => [name, await identity] as const)
  return Object.fromEntries(await Promise.all(found))
}

/** The builds of the models that have several servers, in the order of those. */
export function buildsOfServers(
  models: Iterable<ResolvedModel>,
  identities: ServerIdentities,
): readonly Readonly<Record<string, string>>[] {
  return [...models].flatMap(({ id, endpoints }) =>
    (endpoints.length === 1 ? [] : endpoints).flatMap(({ name }) => {
      const build = identities[name]?.build ?? null
      return build === null ? [] : [{ [id]: build }]
    }),
  )
}

/** @throws RunError when the servers of a model differ, or not all of them answer */
export function checkSameServers(models: Iterable<ResolvedModel>, identities: ServerIdentities): void {
  for (const { id, endpoints } of models) {
    const said =
      endpoints.length === 1 ? [] : endpoints.map(({ name }) => ({ name, identity: identities[name] ?? null }))
    const silent = said.find(({ identity }) => identity === null)
    if (silent !== undefined)
      throw new RunError(
        `${silent.name} does not answer, so that its build is not known. Start it, or leave out sameBuild.`,
      )
    const [first, ...others] = said.map(({ name, identity }) => ({
      name,
      text: identity === null ? '' : identityText(identity),
      identity,
    }))
    const other = others.find(({ text }) => text !== first?.text)
    if (first === undefined || other === undefined) continue
    throw new RunError(
      `the endpoints of ${id} differ: ${first.name} ${serverText(first.identity)}, ${other.name} ${serverText(other.identity)}. Leave one out, or leave out sameBuild.`,
    )
  }
}

/** `is version 0.11.0 with qwen3-8b`. */
export function serverText(identity: ServerIdentity | null): string {
  const { build, models } = identity ?? { build: null, models: [] }
  const list =
    models.length === 0 ? 'no list of models' : `${models.slice(0, 3).join(', ')}${models.length > 3 ? ', …' : ''}`
  return `is ${build ?? 'of an unknown build'} with ${list}`
}

export type EngineOptions = Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'headers' | 'fetch'> & {
  readonly signal?: AbortSignal | undefined
}

/** The addresses next to `/v1` at which engines report their build, and the name of the member. */
const DOORS: readonly (readonly [door: string, member: string, name: string])[] = [
  ['props', 'build_info', 'llama.cpp'],
  ['version', 'version', 'version'],
  ['api/version', 'version', 'Ollama'],
]

const LONGEST_BUILD = 80

/**
 * The build that an engine reports, such as `llama.cpp b10257-1a2b3c4` or `version 0.11.0` (vLLM); null without such an address. Never
 * throws for what a server does.
 *
 * @throws what the signal was aborted with
 */
export async function engineBuild(options: EngineOptions): Promise<string | null> {
  const { baseUrl, signal } = options
  const server = await openSender(options)
  const ask = async ([door, member, name]: (typeof DOORS)[number]): Promise<string | null> => {
    try {
      return await withDeadline({ timeoutMs: PATIENCE_MS, signal }, late, async (deadline) => {
        const answer = await server.get(beside(baseUrl, door), deadline)
        const said = excerpt(stringOrEmpty(objectIn(await bodyText(answer))?.[member])).slice(0, LONGEST_BUILD)
        return said === '' ? null : `${name} ${said}`
      })
    } catch {
      // Most servers have at most one of the addresses, and answer others in various ways.
      signal?.throwIfAborted()
      return null
    }
  }
  const found = await Promise.all(DOORS.map(ask))
  return found.find((build) => build !== null) ?? null
}

function late(): Error {
  return new Error('the server did not say in time')
}

/** An address next to `/v1`. */
function beside(baseUrl: string, door: string): string {
  const url = new URL(splitAddress(baseUrl).url)
  url.pathname = `${url.pathname.replace(/\/(?:v1\/?)?$/, '')}/${door}`
  return url.href
}

/** The builds of the engines of some models, by model. Engines that report none are left out. Each endpoint is requested once. */
export async function engineBuilds(
  models: Iterable<Omit<EngineOptions, 'fetch' | 'signal'> & { readonly id: string }>,
  how: Pick<EngineOptions, 'fetch' | 'signal'>,
): Promise<Readonly<Record<string, string>>> {
  const asked = new Map<string, Promise<string | null>>()
  const found: (readonly [string, string])[] = []
  for (const { id, baseUrl, apiKey, headers } of models) {
    const key = JSON.stringify([baseUrl, apiKey, headers])
    const answer = asked.get(key) ?? engineBuild({ baseUrl, apiKey, headers, ...how })
    asked.set(key, answer)
    const build = await answer
    if (build !== null) found.push([id, build])
  }
  return Object.fromEntries(found)
}
