import { RunError } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'

/** What the engine behind a model says of itself. */
export type Build = readonly [model: string, build: string]

/** Lets the collector know the builds behind the models of a worker. */
export async function reportBuilds(redis: Redis, keys: RunKeys, builds: readonly Build[]): Promise<void> {
  for (const build of builds) await redis.hset(keys.builds, JSON.stringify(build), 1)
}

/** A server of a model, and what it says of itself in one line; null where it does not answer. */
export interface ServerOfModel {
  readonly model: string
  readonly server: string
  readonly says: string | null
}

/**
 * Makes sure that all servers of a model say the same, wherever they are: what the first one says counts.
 *
 * @throws RunError for one that says something else, or nothing
 */
export async function agree(redis: Redis, keys: RunKeys, servers: readonly ServerOfModel[]): Promise<void> {
  for (const { model, server, says } of servers) {
    const leave = 'Let others play, or begin the run without --same-build.'
    if (says === null)
      throw new RunError(`${server} does not answer, and the run was begun with --same-build. ${leave}`)
    await redis.hsetnx(keys.meta, `server ${model}`, says)
    const first = (await redis.hget(keys.meta, `server ${model}`)) ?? says
    if (first !== says)
      throw new RunError(`${server} ${says}, but the first server of ${model} ${first.slice(0, 200)}. ${leave}`)
  }
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
