import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCollector } from './helpers/collected.ts'
import { startModelServer } from './helpers/model-server.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'
import { until } from './helpers/until.ts'
import { planned, settled, startWorker, summaryIn, undisturbed } from './helpers/work.ts'

const ADVICE = 'Raise its maxmemory, or delete other keys there.'
const COLLECTOR_WAITS = `Redis is full, and the run waits until it has room. ${ADVICE}`
const WORKER_WAITS = `Redis is full, and this worker waits. ${ADVICE}`

describe.skipIf(NO_REDIS !== null)(`a Redis that is full in mid-run (${NO_REDIS ?? 'real Redis'})`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  // A worker that finds no run, but that one was over, would end.
  beforeEach(() => redis.client.flushall())
  const most = (bytes: number): Promise<unknown> => redis.client.config('SET', 'maxmemory', bytes)

  /** Answers 7 requests of a run; Redis refuses everything that comes after them. */
  const fillingModels = (isOn: () => boolean): ReturnType<typeof startModelServer> => {
    let before = 0
    return startModelServer({
      gate: async () => {
        if (!isOn()) return
        before += 1
        if (before === 8) await most(1)
      },
    })
  }

  it('makes collector and workers wait and warn once; no request is repeated, and the run is completed', async () => {
    let isOn = false
    const models = await fillingModels(() => isOn)
    const config = planned(models.baseUrl)
    const alone = await undisturbed(config)
    const needed = models.total()
    isOn = true
    const said: { readonly collector: string[]; readonly worker: string[] } = { collector: [], worker: [] }

    const collector = startCollector(config, redis.url, { onWarning: (text) => void said.collector.push(text) })
    const worker = startWorker(redis.url, models.baseUrl, {
      keep: false,
      onEvent: (event) => void (event.type === 'warning' && said.worker.push(event.text)),
    })
    await until(() => said.collector.length > 0 && said.worker.length > 0)
    await most(0)
    const failure = await collector.ended
    const { why, counts } = await worker.ended
    await models.close()

    expect([failure, why, counts.asked, models.total() - needed]).toEqual([null, 'drained', needed, needed])
    expect(said).toEqual({ collector: [COLLECTOR_WAITS], worker: [WORKER_WAITS] })
    expect(settled(summaryIn(collector.folder()))).toBe(settled(alone))
  })

  it('ends both when they have waited too long; the run continues when there is room', async () => {
    let isOn = false
    const models = await fillingModels(() => isOn)
    const config = planned(models.baseUrl, { seed: 3 })
    const alone = await undisturbed(config)
    isOn = true

    const collector = startCollector(config, redis.url, { times: { aloneMs: Infinity, fullMs: 0 } })
    const worker = startWorker(redis.url, models.baseUrl, { keep: false, fullMs: 0 })
    const [failure, { why }] = await Promise.all([collector.ended, worker.ended])
    await most(0)
    const second = startCollector(config, redis.url, { resume: { folder: collector.folder() } })
    const others = startWorker(redis.url, models.baseUrl, { keep: false })
    const ends = [await second.ended, (await others.ended).why]
    await models.close()

    expect([String(failure), why]).toEqual([`RunStopped: Redis is full and keeps its rows. ${ADVICE}`, 'full'])
    expect(ends).toEqual([null, 'drained'])
    expect(settled(summaryIn(collector.folder()))).toBe(settled(alone))
  })
})
