import { describe, expect, it, onTestFinished } from 'vitest'
import { flood } from './helpers/flood.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'

describe.skipIf(NO_REDIS !== null)(`a collector that is away (${NO_REDIS ?? 'real Redis'})`, () => {
  it('makes workers wait before requests, below the bound; when it is back, it collects everything', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const bound = 4 << 20

    const { most, made, needed, isEqual } = await flood(redis, { bound, fill: 100_000, more: { repeat: 3 } })

    expect(most).toBeLessThan(bound)
    expect(most).toBeGreaterThan(bound / 8)
    expect(made).toBeLessThan(needed / 2)
    expect(isEqual).toBe(true)
  })
})
