import { identityText } from '@callspec/eval/worker-parts'
import type { ServerIdentity } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'

/** What servers say of themselves, by the names that the journal gives them. */
export type NamedServers = Readonly<Record<string, ServerIdentity>>

/** Lets collector and workers know whom this worker asks. */
export async function reportServers(redis: Redis, keys: RunKeys, servers: NamedServers): Promise<void> {
  for (const [name, identity] of Object.entries(servers)) await redis.hset(keys.servers, name, identityText(identity))
}

/** What a server said of itself; null for one that nobody knows. */
export async function serverNamed(redis: Redis, keys: RunKeys, name: string): Promise<ServerIdentity | null> {
  return identityIn((await redis.hget(keys.servers, name)) ?? '')
}

/** All that were reported, by name. Whatever else stands there is left out. */
export async function reportedServers(redis: Redis, keys: RunKeys): Promise<NamedServers> {
  const found = Object.entries(await redis.hgetall(keys.servers)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const known = found.map(([name, text]) => [name, identityIn(text)] as const)
  return Object.fromEntries(known.filter((entry): entry is readonly [string, ServerIdentity] => entry[1] !== null))
}

/** The other way round of `identityText`. */
function identityIn(text: string): ServerIdentity | null {
  try {
    const [build = null, models] = JSON.parse(text) as readonly unknown[]
    const isBuild = build === null || typeof build === 'string'
    if (!isBuild || !Array.isArray(models) || !models.every((each) => typeof each === 'string')) return null
    return { build, models }
  } catch {
    return null
  }
}
