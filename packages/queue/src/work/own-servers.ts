import { hostname } from 'node:os'
import type { Client, RunModel } from '@callspec/eval'
import { isSameServer } from '@callspec/eval/worker-parts'
import type { ResolvedModel, ServerIdentity } from '@callspec/eval/worker-parts'
import type { NamedServers } from '../redis/servers.ts'

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
