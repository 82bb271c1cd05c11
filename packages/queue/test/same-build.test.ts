import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EvalSummary } from '@callspec/eval'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCollector } from './helpers/collected.ts'
import { startModelServer } from './helpers/model-server.ts'
import type { ModelServer } from './helpers/model-server.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'
import { until } from './helpers/until.ts'
import { planned, settled, startWorker, summaryIn, undisturbed } from './helpers/work.ts'

describe.skipIf(NO_REDIS !== null)(`workers whose servers are of two builds (${NO_REDIS ?? 'real Redis'})`, () => {
  let redis: RedisServer
  let models: ModelServer
  let newer: ModelServer
  /** What replies of the first build wait for. */
  let held: Promise<void> | undefined
  beforeAll(async () => {
    redis = await startRedis()
    models = await startModelServer({ gate: () => held })
    newer = await startModelServer({ build: '2.0' })
  })
  afterAll(async () => {
    await redis.stop()
    await models.close()
    await newer.close()
  })

  it('are refused in a run with --same-build unless they equal the first', async () => {
    const config = planned(models.baseUrl)
    const alone = await undisturbed(config)
    // The run must not be over before the others have come to it.
    let release = (): void => undefined
    held = new Promise<void>((resolve) => (release = resolve))
    const collecting = startCollector({ ...config, sameBuild: true }, redis.url)
    await until(async () => (await redis.keysOf('meta')).length > 0)
    const first = startWorker(redis.url, models.baseUrl)
    await until(async () => (await redis.keysOf('builds')).length > 0)

    const other = await startWorker(redis.url, newer.baseUrl).ended.catch((error: unknown) => String(error))
    const silent = await startWorker(redis.url, 'http://127.0.0.1:1/v1').ended.catch((error: unknown) => String(error))
    release()
    const failure = await collecting.ended
    first.drain.abort()
    await first.ended

    expect(failure).toBeNull()
    expect(other).toMatch(
      /^RunError: http:\S+ is version 2\.0 with no list of models \(\w{8}\), but the first server of tiny is version 1\.0 with /,
    )
    expect(silent).toMatch(
      /^RunError: http:\/\/127\.0\.0\.1:1\/v1 does not answer, and the run was begun with sameBuild\./,
    )
    expect(newer.total()).toBe(0)
    expect(settled(summaryIn(collecting.folder()))).toBe(settled(alone))
  })

  it('lead to a warning otherwise, and have no other effect', async () => {
    const config = planned(models.baseUrl, { seed: 40 })
    const alone = await undisturbed(config)
    const collecting = startCollector(config, redis.url)
    await until(async () => (await redis.keysOf('meta')).length > 0)

    const workers = [models, newer].map(({ baseUrl }) => startWorker(redis.url, baseUrl, { concurrency: 1 }))
    const failure = await collecting.ended
    for (const { drain } of workers) drain.abort()
    await Promise.all(workers.map(({ ended }) => ended))

    const text = summaryIn(collecting.folder())
    const { transport } = JSON.parse(text) as EvalSummary
    expect(failure).toBeNull()
    expect(settled(text)).toBe(settled(alone))
    expect(transport.warnings.map((warning) => warning.text).join(' ')).toMatch(
      /The endpoints of tiny differ: http:\S+ at \S+ is version \d\.0, http:\S+ at \S+ version \d\.0\./,
    )
    const report = readFileSync(join(collecting.folder(), 'report.md'), 'utf8').replaceAll('\\', '')
    expect(report).toMatch(/^- http:\S+ at \S+: \d+ requests.*version 1\.0$/m)
    expect(report).toMatch(/^- http:\S+ at \S+: \d+ requests.*version 2\.0$/m)
  })
})
