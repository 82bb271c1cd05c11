import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'

/** What the engine behind a model says of itself. */
export type Build = readonly [model: string, build: string]

/** Lets the collector know the builds behind the models of a worker. */
export async function reportBuilds(redis: Redis, keys: RunKeys, builds: readonly Build[]): Promise<void> {
  for (const build of builds) await redis.hset(keys.builds, JSON.stringify(build), 1)
}

/** What was reported, in an order that does not depend on who came first. Whatever else stands there is left out. */
export async function reportedBuilds(redis: Redis, keys: RunKeys): Promise<readonly Build[]> {
  const texts = await redis.hkeys(keys.builds)
  return texts.toSorted().flatMap((text) => buildIn(text))
}

function buildIn(text: string): readonly Build[] {
  try {
    const [model, build] = Object.values(JSON.parse(text) as object) as readonly unknown[]
    return typeof model === 'string' && typeof build === 'string' ? [[model, build]] : []
  } catch {
    return []
  }
}
