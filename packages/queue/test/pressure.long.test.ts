import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_BOUND } from '../src/evaluate.ts'
import { flood } from './helpers/flood.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'

describe.skipIf(NO_REDIS !== null)(`replies of 1 MB without a collector (${NO_REDIS ?? 'real Redis'})`, () => {
  it('stay below 64 MB in Redis', { timeout: 1_800_000 }, async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())

    const found = await flood(redis, { bound: DEFAULT_BOUND, fill: 1_000_000, more: { repeat: 4 } })

    // A figure of docs/scale.md.
    process.stderr.write(`${JSON.stringify(found)}\n`)
    expect(found.most).toBeLessThan(DEFAULT_BOUND)
    expect(found.made).toBeLessThan(found.needed)
    expect(found.isEqual).toBe(true)
  })
})
