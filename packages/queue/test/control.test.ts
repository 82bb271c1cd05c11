import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cancelRun, queueStatus, setPaused, serveMetrics } from '../src/control.ts'
import { reachRun } from '../src/work/reach.ts'
import { startCollector } from './helpers/collected.ts'
import { NO_REDIS } from './helpers/redis.ts'
import { sharedServers } from './helpers/shared-servers.ts'
import { until } from './helpers/until.ts'
import { planned, startWorker } from './helpers/work.ts'
import { onlyLong } from '../../tidy/test/share.ts'

/** A line of OpenMetrics 1.0: metadata, or a sample. */
const LINE = /^(?:# (?:TYPE [a-z_]+ (?:gauge|counter)|HELP [a-z_]+ [^\n]+|EOF)|[a-z_]+(?:\{[^{}\n]+\})? \d+)$/

describe.skipIf(NO_REDIS !== null)(`whoever looks after a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  const servers = sharedServers()
  const { queue } = servers

  it('lets workers take nothing while it is paused, and everything afterwards', async () => {
    const collector = startCollector(planned(servers.models.baseUrl), servers.redis.url)
    await until(async () => (await servers.redis.keysOf('done')).length > 0)
    await until(async () => ((await queueStatus(queue())).run?.chunks.waiting ?? 0) === 18)
    const paused = await setPaused(queue(), true)
    const worker = startWorker(servers.redis.url, servers.models.baseUrl)
    await until(async () => (await queueStatus(queue())).workers.some(({ left }) => left === null))
    const before = await queueStatus(queue())
    const asked = servers.models.total()

    const resumed = await setPaused(queue(), false)
    const failure = await collector.ended
    worker.drain.abort()
    await worker.ended

    expect([paused.run?.state, before.run?.state, resumed.run?.state]).toEqual(['paused', 'paused', 'open'])
    expect([before.run?.chunks.active, before.run?.rows, asked]).toEqual([0, 0, 0])
    expect([failure, (await queueStatus(queue())).run]).toEqual([null, null])
  })

  it('shows the progress, also as text for scrapers of OpenMetrics', async () => {
    const collector = startCollector(planned(servers.models.baseUrl), servers.redis.url)
    await until(async () => ((await queueStatus(queue())).run?.chunks.waiting ?? 0) === 18)
    const metrics = await serveMetrics(queue(), { port: 0, host: '127.0.0.1' })
    onTestFinished(() => metrics.close())

    const answer = await fetch(metrics.url)
    const elsewhere = await fetch(metrics.url.replace('/metrics', '/'))
    const text = await answer.text()
    const rebound = await new Promise<number | undefined>((resolve) => {
      request(metrics.url, { headers: { host: 'evil.example' } }, (reply) => resolve(reply.resume().statusCode)).end()
    })
    await cancelRun(queue())
    await collector.ended

    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect([metrics.url.startsWith('http://127.0.0.1:'), elsewhere.status, rebound]).toEqual([true, 404, 421])
    expect(text.split('\n').filter((line) => !LINE.test(line))).toEqual([''])
    expect(text.endsWith('# EOF\n')).toBe(true)
    for (const line of ['callspec_episodes 18', 'callspec_chunks_waiting 18', 'callspec_rows_stored_total 0'])
      expect(text.split('\n')).toContain(line)
  })

  it('ends a run, which reports it, and removes it from Redis', async () => {
    const collector = startCollector(planned(servers.models.baseUrl), servers.redis.url)
    await until(async () => ((await queueStatus(queue())).run?.chunks.waiting ?? 0) === 18)

    await cancelRun(queue())

    expect(String(await collector.ended)).toBe('RunStopped: the run was cancelled')
    expect([await servers.redis.keysOf('*'), (await queueStatus(queue())).run]).toEqual([[], null])
  })

  onlyLong(() => {
    it('lists failed chunks by name; all other episodes are played', async () => {
      const collector = startCollector(planned(servers.models.baseUrl), servers.redis.url)
      const worker = startWorker(servers.redis.url, servers.models.baseUrl, {
        reach: async (run, drain) => {
          const options = {
            endpointOf: () => ({ baseUrl: servers.models.baseUrl }),
            ownSuite: null,
            asksEngines: false,
          }
          const reached = await reachRun(run, options, drain)
          return {
            ...reached,
            modelFor: (key) => {
              if (key.task === 'P02') throw new Error('the disk of this worker is full')
              return reached.modelFor(key)
            },
          }
        },
      })

      const failure = await collector.ended
      worker.drain.abort()
      const { counts } = await worker.ended

      expect(String(failure)).toMatch(
        /^RunStopped: 2 chunks failed\. The first is chunk \d+ \(round 1\): the disk of this worker is full$/,
      )
      expect(counts.episodes).toBe(16)
    })
  })
})
