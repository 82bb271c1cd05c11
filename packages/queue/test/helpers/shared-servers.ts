import { afterAll, beforeAll } from 'vitest'
import { startModelServer } from './model-server.ts'
import type { ModelServer } from './model-server.ts'
import { startRedis } from './redis.ts'
import type { RedisServer } from './redis.ts'

/** A Redis and a server of models for all tests of a `describe`; both run only while these tests do. */
export interface SharedServers {
  readonly redis: RedisServer
  readonly models: ModelServer
  /** The queue of the project `test` in this Redis. */
  readonly queue: () => { readonly url: string; readonly prefix: string }
}

/** Starts them before the first test and ends them after the last one. */
export function sharedServers(): SharedServers {
  let started: Pick<SharedServers, 'redis' | 'models'> | null = null
  const servers = (): Pick<SharedServers, 'redis' | 'models'> => {
    if (started === null) throw new Error('the servers run only while tests do')
    return started
  }
  beforeAll(async () => {
    started = { redis: await startRedis(), models: await startModelServer() }
  })
  afterAll(async () => {
    await started?.redis.stop()
    await started?.models.close()
  })
  return {
    get redis() {
      return servers().redis
    },
    get models() {
      return servers().models
    },
    queue: () => ({ url: servers().redis.url, prefix: 'test' }),
  }
}
