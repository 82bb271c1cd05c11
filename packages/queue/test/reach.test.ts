import { makeSuite } from '@callspec/eval'
import type { Suite } from '@callspec/eval'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cancelRun } from '../src/control.ts'
import { reachRun } from '../src/work/reach.ts'
import { startCollector } from './helpers/collected.ts'
import type { Collecting } from './helpers/collected.ts'
import { startModelServer } from './helpers/model-server.ts'
import type { ModelServer } from './helpers/model-server.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'
import { until } from './helpers/until.ts'
import { startWorker } from './helpers/work.ts'

/** A suite with a tool that is code. */
function suiteOf(run: () => string): Suite {
  const parameters = { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] }
  return makeSuite(
    {
      tools: [{ name: 'calculator', description: 'Reckons.', parameters, run }],
      tasks: [
        { id: 'one', query: 'What is 37 * 48 - 129?', tools: ['calculator'], verdict: { answer: { any: true } } },
      ],
    },
    { name: 'sums' },
  )
}

describe.skipIf(NO_REDIS !== null)(`a suite whose tools are code (${NO_REDIS ?? 'real Redis'})`, () => {
  let redis: RedisServer
  let models: ModelServer
  let collector: Collecting
  const suite = suiteOf(() => '1647')
  beforeAll(async () => {
    redis = await startRedis()
    models = await startModelServer()
    const config = {
      models: ['tiny'],
      formats: ['fncall-nous'],
      baseUrl: models.baseUrl,
      stream: false,
      repeat: 4,
    } as const
    collector = startCollector({ ...config, suite, reports: redis.folder }, redis.url)
    await until(async () => (await redis.keysOf('meta')).length > 0)
  })
  afterAll(async () => {
    await cancelRun({ url: redis.url, prefix: 'test' }).catch(() => '')
    await collector.ended
    await redis.stop()
    await models.close()
  })
  const saidBy = async (ownSuite: Suite | null): Promise<string> => {
    const endpointOf = (): { readonly baseUrl: string } => ({ baseUrl: models.baseUrl })
    const worker = startWorker(redis.url, models.baseUrl, {
      keep: false,
      reach: (run, drain) => reachRun(run, { endpointOf, ownSuite, asksEngines: false }, drain),
    })
    return worker.ended.then(
      ({ why }) => why,
      (error: unknown) => String(error),
    )
  }

  it('is refused by workers without it or with another version, before they make a request', async () => {
    const none = await saidBy(null)
    const other = await saidBy(suiteOf(() => '1648'))

    expect(none).toBe(
      'RunError: the tools of the suite sums are code: give --suite FILE, and --allow-suite-code to let it run here.',
    )
    expect(other).toMatch(
      /^RunError: the suite sums here is not the suite of the run \([0-9a-f]{12} here, [0-9a-f]{12} there\): use the same version of sums\.$/,
    )
    expect(models.total()).toBe(0)
  })

  it('is played by a worker with the same version', async () => {
    expect([await saidBy(suite), await collector.ended]).toEqual(['drained', null])
  })
})
