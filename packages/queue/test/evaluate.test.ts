import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluateOverQueue } from '../src/evaluate.ts'
import { startModelServer } from './helpers/model-server.ts'
import type { ModelServer } from './helpers/model-server.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'
import { latest, planned, startWorker, summaryIn, temporaryFolder, undisturbed } from './helpers/work.ts'

describe.skipIf(NO_REDIS !== null)(`a run over a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  let redis: RedisServer
  let models: ModelServer
  beforeAll(async () => {
    redis = await startRedis()
    models = await startModelServer()
  })
  afterAll(async () => {
    await redis.stop()
    await models.close()
  })

  it('comes to the same summary as on one machine, and leaves nothing in Redis', async () => {
    const config = planned(models.baseUrl, { repeat: 2 })
    const alone = await undisturbed(config)
    const reports = temporaryFolder()
    const workers = [startWorker(redis.url, models.baseUrl), startWorker(redis.url, models.baseUrl)]
    const before = models.total()

    await evaluateOverQueue({ ...config, reports }, { queue: { url: redis.url, prefix: 'test' } })
    for (const { drain } of workers) drain.abort()
    const ends = await Promise.all(workers.map(({ ended }) => ended))

    expect(summaryIn(latest(reports))).toBe(alone)
    expect(2 * before).toBe(models.total())
    expect(ends.map(({ why }) => why)).toEqual(['stopped', 'stopped'])
    expect(
      (await redis.client.keys('*')).filter(
        (key) => !/^\{test\}:(?:chunks:(?:meta|events|stalled-check)|workers)$/.test(key),
      ),
    ).toEqual([])
  })
})
