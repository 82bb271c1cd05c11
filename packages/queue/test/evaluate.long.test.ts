import { setTimeout as pause } from 'node:timers/promises'
import type { RunEvent } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import { evaluateOverQueue } from '../src/evaluate.ts'
import { startModelServer } from './helpers/model-server.ts'
import { NO_REDIS } from './helpers/redis.ts'
import { sharedServers } from './helpers/shared-servers.ts'
import { latest, planned, settled, startWorker, summaryIn, temporaryFolder, undisturbed } from './helpers/work.ts'

describe.skipIf(NO_REDIS !== null)(`a run over a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  const servers = sharedServers()

  it('has the same summary as on one machine, and leaves nothing in Redis', async () => {
    const config = planned(servers.models.baseUrl, { repeat: 2 })
    const alone = await undisturbed(config)
    const reports = temporaryFolder()
    const workers = [
      startWorker(servers.redis.url, servers.models.baseUrl),
      startWorker(servers.redis.url, servers.models.baseUrl),
    ]
    const before = servers.models.total()

    await evaluateOverQueue({ ...config, reports }, { queue: { url: servers.redis.url, prefix: 'test' } })
    for (const { drain } of workers) drain.abort()
    const ends = await Promise.all(workers.map(({ ended }) => ended))

    expect(settled(summaryIn(latest(reports)))).toBe(settled(alone))
    expect(2 * before).toBe(servers.models.total())
    expect(ends.map(({ why }) => why)).toEqual(['stopped', 'stopped'])
    // `over` says for ten minutes that a run has ended here.
    expect(
      (await servers.redis.client.keys('*')).filter(
        (key) => !/^\{test\}:(?:chunks:(?:meta|events|stalled-check)|workers|over)$/.test(key),
      ),
    ).toEqual([])
  })

  it('continues where its collector was stopped, and repeats no request', async () => {
    const config = planned(servers.models.baseUrl, { seed: 40 })
    const alone = await undisturbed(config)
    const before = servers.models.times.length
    const reports = temporaryFolder()
    const queue = { url: servers.redis.url, prefix: 'test' }
    const worker = startWorker(servers.redis.url, servers.models.baseUrl)
    const stop = new AbortController()
    let [folder, lines] = ['', 0]

    const stopped = await evaluateOverQueue(
      { ...config, reports },
      {
        ...{ queue, signal: stop.signal },
        onEvent: (event) => {
          if (event.type === 'folder') folder = event.folder
          if (event.type === 'line' && ++lines === 9) stop.abort()
        },
      },
    ).catch((error: unknown) => error)
    await evaluateOverQueue({ ...config, reports }, { queue, resume: { folder } })
    worker.drain.abort()
    await worker.ended

    expect(stopped).toBeInstanceOf(Error)
    expect(settled(summaryIn(folder))).toBe(settled(alone))
    const asked = servers.models.times.slice(before).map(([hash]) => hash)
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('survives the loss of all data in Redis: replies in the journal are not requested again', async () => {
    const config = planned(servers.models.baseUrl, { seed: 80 })
    const alone = await undisturbed(config)
    const reports = temporaryFolder()
    const queue = { url: servers.redis.url, prefix: 'test' }
    let release = (): void => {}
    const lost = new Promise<void>((resolve) => (release = resolve))
    // However slow the collector is, something is left to play when Redis loses everything.
    const held = await startModelServer({ gate: (earlier) => (earlier < 14 ? undefined : lost) })
    const worker = startWorker(servers.redis.url, held.baseUrl)
    const warnings: string[] = []
    let ended = 0

    await evaluateOverQueue(
      { ...config, reports },
      {
        queue,
        onWarning: (text) => void warnings.push(text),
        onEvent: (event) => {
          if (event.type === 'ended' && (ended += 1) === 3) void servers.redis.client.flushall().then(release)
        },
      },
    )
    worker.drain.abort()
    await worker.ended
    await held.close()

    expect(settled(summaryIn(latest(reports)))).toBe(settled(alone))
    expect(warnings.at(-1)).toMatch(/^\d+ episodes? lost in the queue, and enqueued again$/)
    const asked = held.times.map(([hash]) => hash)
    // What was under way, or stored and not yet in the journal.
    expect(asked.length - new Set(asked).size).toBeLessThan(20)
  })

  it('reads rows from Redis that are missing in the stream, instead of waiting for them forever', async () => {
    const earlier = servers.models.total()
    const config = planned(servers.models.baseUrl, { seed: 160 })
    const alone = await undisturbed(config)
    const before = servers.models.total()
    const reports = temporaryFolder()
    const queue = { url: servers.redis.url, prefix: 'test' }
    const stop = new AbortController()
    let folder = ''
    const onEvent = (event: RunEvent): void => void (event.type === 'folder' && (folder = event.folder))
    const first = evaluateOverQueue({ ...config, reports }, { queue, signal: stop.signal, onEvent }).catch(() => {})
    while ((await servers.redis.keysOf('meta')).length === 0) await pause(20)
    stop.abort()
    await first
    const drained = await startWorker(servers.redis.url, servers.models.baseUrl, { keep: false }).ended
    const [rows = ''] = await servers.redis.keysOf('rows')
    await servers.redis.client.xtrim(rows, 'MAXLEN', 3)

    await evaluateOverQueue({ ...config, reports }, { queue, resume: { folder } })

    expect(settled(summaryIn(folder))).toBe(settled(alone))
    expect([drained.why, drained.counts.episodes]).toEqual(['drained', 18])
    expect(servers.models.total() - before).toBe(before - earlier)
  })

  it('stops at a budget, and continues', async () => {
    // The collector looks at what was spent once a second: slow enough that there is something left to stop.
    const slow = await startModelServer({ delayMs: 250 })
    const config = planned(slow.baseUrl, { seed: 120 })
    const alone = await undisturbed(config)
    const reports = temporaryFolder()
    const queue = { url: servers.redis.url, prefix: 'test' }
    const worker = startWorker(servers.redis.url, slow.baseUrl, { concurrency: 2 })
    let folder = ''

    const stopped = await evaluateOverQueue(
      { ...config, reports },
      { queue, limits: { tokens: 1 }, onEvent: (event) => void (event.type === 'folder' && (folder = event.folder)) },
    ).catch((error: unknown) => error)
    const left = await servers.redis.keysOf('*')
    await evaluateOverQueue({ ...config, reports }, { queue, resume: { folder } })
    worker.drain.abort()
    await worker.ended
    await slow.close()

    expect(String(stopped)).toMatch(/^RunStopped: the budget is used up: \d+ tokens were spent$/)
    expect(left).toEqual([])
    expect(settled(summaryIn(folder))).toBe(settled(alone))
  })
})
