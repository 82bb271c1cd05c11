import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startChild } from './helpers/children.ts'
import type { Child } from './helpers/children.ts'
import { startModelServer } from './helpers/model-server.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import { CALLSPEC, planned, temporaryFolder } from './helpers/work.ts'
import { IS_WHOLE, shareOf } from '../../tidy/test/share.ts'

const EPISODES = 8 * shareOf(250)
const [WORKERS, EACH] = [4, 64]

describe.skipIf(NO_REDIS !== null)(`2 000 episodes over a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  it('take as long as on one machine, and little more of the processors', { timeout: 3_600_000 }, async () => {
    const models = await startModelServer({ delayMs: 1500 })
    const redis = await startRedis()
    const config = planned(models.baseUrl, {
      ...{
        formats: ['react'],
        tasks: ['S01', 'S02', 'P01', 'P02', 'R01', 'Q01', 'Q02', 'T01'],
        repeat: EPISODES / 8,
      },
      concurrency: WORKERS * EACH,
    })

    const alone = await measured([
      startChild('collector', {
        config: { ...config, reports: temporaryFolder() },
        url: null,
        resume: null,
        slowMs: 0,
      }),
    ])
    const collector = startChild('collector', {
      config: { ...config, reports: temporaryFolder() },
      url: redis.url,
      resume: null,
      slowMs: 0,
    })
    while ((await redis.keysOf('meta')).length === 0) await pause(20)
    const workers = Array.from({ length: WORKERS }, () =>
      startChild('worker', {
        url: redis.url,
        baseUrl: models.baseUrl,
        concurrency: EACH,
        callspec: CALLSPEC,
        skewMs: 0,
      }),
    )
    const shared = await measured([collector, ...workers])
    const peak = /^used_memory_peak:(\d+)/m.exec(await redis.client.info('memory'))?.[1]
    await redis.stop()
    await models.close()

    const [collecting = 0, ...working] = shared.cpuMs
    const working1 = sumOf(working)
    const [collectingStart = 0, ...starts] = shared.startMs
    const bare = (alone.cpuMs[0] ?? 1) - (alone.startMs[0] ?? 0)
    const found = {
      wall: shared.ms / alone.ms,
      workerCpu: working1 / (alone.cpuMs[0] ?? 1),
      allCpu: (working1 + collecting) / (alone.cpuMs[0] ?? 1),
      // A process loads its modules once, however many episodes it plays.
      withoutStarts: {
        workerCpu: (working1 - sumOf(starts)) / bare,
        allCpu: (working1 - sumOf(starts) + collecting - collectingStart) / bare,
      },
      seconds: [alone.ms / 1000, shared.ms / 1000],
      cpuMsPerEpisode: {
        alone: (alone.cpuMs[0] ?? 0) / EPISODES,
        worker: working1 / EPISODES,
        collector: collecting / EPISODES,
      },
      redisPeakMB: Number(peak) / 2 ** 20,
    }
    // The table of docs/scale.md is made of it.
    process.stderr.write(`${JSON.stringify(found)}\n`)
    if (IS_WHOLE) expect(found.wall).toBeLessThan(1.5)
  })
})

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** How long some processes take together, and what each needed of a processor. */
async function measured(
  children: readonly Child[],
): Promise<{ readonly ms: number; readonly cpuMs: readonly number[]; readonly startMs: readonly number[] }> {
  const began = performance.now()
  const ends = await Promise.all(children.map(({ ended }) => ended))
  const ms = performance.now() - began
  expect(ends.map(({ code, said }) => `${code} ${said}`)).toEqual(children.map(() => '0 '))
  const each = (name: string): readonly number[] => children.map(({ lines }) => Number(lines.at(-1)?.[name]))
  return { ms, cpuMs: each('cpuMs'), startMs: each('startMs') }
}
