import { describe, expect, it } from 'vitest'
import { cancelRun, queueStatus, setPaused } from '../src/control.ts'
import { startCollector } from './helpers/collected.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import { sharedServers } from './helpers/shared-servers.ts'
import { until } from './helpers/until.ts'
import { planned, settled, startWorker, summaryIn, undisturbed } from './helpers/work.ts'

describe.skipIf(NO_REDIS !== null)(`a queue that nothing plays (${NO_REDIS ?? 'real Redis'})`, () => {
  const servers = sharedServers()
  const { queue } = servers

  it('is played by a worker that started before it; a worker without a run leaves', async () => {
    const none = await startWorker(servers.redis.url, servers.models.baseUrl, { keep: false, waitMs: 50 }).ended
    const early = startWorker(servers.redis.url, servers.models.baseUrl, { keep: false })
    await until(async () => (await queueStatus(queue())).workers.some(({ left }) => left === null))
    const collector = startCollector(planned(servers.models.baseUrl, { tasks: ['S01'] }), servers.redis.url)

    expect([none.why, none.counts.asked]).toEqual(['no-run', 0])
    expect([await collector.ended, (await early.ended).why]).toEqual([null, 'drained'])
  })

  it('is left at once by a worker that starts after its end', async () => {
    const events: string[] = []

    const { why } = await startWorker(servers.redis.url, servers.models.baseUrl, {
      ...{ keep: false, waitMs: Infinity },
      onEvent: (event) => void (event.type === 'over' && events.push(event.run)),
    }).ended

    expect([why, events.map((run) => /^[0-9a-f]{16}$/.test(run))]).toEqual(['drained', [true]])
  })

  it('is reported by the collector once, and again after its last worker has left', async () => {
    let said = 0
    const config = planned(servers.models.baseUrl, { tasks: ['S01', 'S02'] })
    const collector = startCollector(config, servers.redis.url, {
      onNoWorkers: () => (said += 1),
      times: { aloneMs: 3000, fullMs: Infinity },
    })
    await until(() => said === 1)
    await setPaused(queue(), true)
    const worker = startWorker(servers.redis.url, servers.models.baseUrl)
    await until(async () => (await queueStatus(queue())).workers.some(({ left }) => left === null))
    // The collector looks once a second.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    worker.drain.abort()
    await worker.ended
    await until(() => said === 2)
    await cancelRun(queue())

    expect([String(await collector.ended), said]).toEqual(['RunStopped: the run was cancelled', 2])
  })

  it.each([
    ['data that is no JSON', 'data', '{"run":"'],
    ['no chunk', 'data', '{"run":7}'],
    ['options that are no JSON', 'opts', '{"jobId"'],
  ])('does not stop at a job with %s: it is set aside and named, and the run becomes whole', async (_, field, text) => {
    const config = planned(servers.models.baseUrl, { seed: 100 + text.length })
    const alone = await undisturbed(config)
    const said: string[] = []
    const collector = startCollector(config, servers.redis.url, { onWarning: (sentence) => void said.push(sentence) })
    await until(async () => ((await queueStatus(queue())).run?.chunks.waiting ?? 0) === 18)
    const [job = ''] = await servers.redis.client.keys('{test}:chunks:*-7-1')
    await servers.redis.client.hset(job, field, text)

    const workers = [1, 2].map(() => startWorker(servers.redis.url, servers.models.baseUrl, { keep: false }))
    const failure = await collector.ended
    const ends = await Promise.all(workers.map(({ ended }) => ended))

    expect([failure, ...ends.map(({ why }) => why)]).toEqual([null, 'drained', 'drained'])
    expect(said).toEqual([
      'chunk 7 (round 1) was set aside, because its data is broken; its episodes are enqueued again',
      '1 episode lost in the queue, and enqueued again',
    ])
    expect(settled(summaryIn(collector.folder()))).toBe(settled(alone))
  })

  it('does not keep a worker from ending while Redis is unavailable', async () => {
    const own = await startRedis()
    const collector = startCollector(planned(servers.models.baseUrl, { seed: 9 }), own.url)
    const worker = startWorker(own.url, servers.models.baseUrl, { keep: true })
    const failure = await collector.ended
    await own.stop()

    worker.drain.abort()

    expect([(await worker.ended).why, failure]).toEqual(['stopped', null])
  })
})
