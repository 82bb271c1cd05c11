import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { pooled } from '../src/play/play-plan.ts'
import { runEval } from '../src/run/run-eval.ts'
import { fakeClient } from './helpers/fake-client.ts'
import { temporaryFolder } from './helpers/temporary.ts'

const turns = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) await Promise.resolve()
}

describe('a pool', () => {
  it('hands on every result in the order of the items, and is never wider than allowed', async () => {
    const delays = fc.array(fc.integer({ min: -1, max: 12 }), { maxLength: 60 })
    const law = fc.asyncProperty(delays, fc.integer({ min: 1, max: 9 }), async (waits, width) => {
      const taken: number[] = []
      let [running, widest] = [0, 0]
      const work = (index: number): number | Promise<number> => {
        const wait = waits[index] ?? 0
        if (wait < 0) return index
        running += 1
        widest = Math.max(widest, running)
        return turns(wait).then(() => {
          running -= 1
          return index
        })
      }

      await pooled(waits.keys(), { width, work, take: (index) => taken.push(index) })

      expect(taken).toEqual([...waits.keys()])
      expect(widest).toBeLessThanOrEqual(width)
    })

    await fc.assert(law, { numRuns: 300 })
  })

  it('takes an item only when there is room for it', async () => {
    let [drawn, done, ahead] = [0, 0, 0]
    const items = function* (): Generator<number> {
      for (let at = 0; at < 100; at += 1) {
        drawn += 1
        ahead = Math.max(ahead, drawn - done)
        yield at
      }
    }
    const work = async (): Promise<void> => {
      await turns(3)
      done += 1
    }

    await pooled(items(), { width: 4, work, take: () => {} })

    expect([drawn, done]).toEqual([100, 100])
    expect(ahead).toBeLessThanOrEqual(4)
  })

  it('begins nothing new after an exception, and throws it when the running ones are done', async () => {
    const begun: number[] = []
    const ended: number[] = []
    const work = async (index: number): Promise<number> => {
      begun.push(index)
      await turns(index === 3 ? 1 : 5)
      if (index === 3) throw new Error('three')
      ended.push(index)
      return index
    }

    await expect(pooled(Array.from({ length: 50 }).keys(), { width: 5, work, take: () => {} })).rejects.toThrow('three')

    expect(begun).toEqual([0, 1, 2, 3, 4])
    expect(ended).toEqual([0, 1, 2, 4])
  })

  it('lets others have their turn when every result is there at once', async () => {
    let [others, isDone] = [0, false]
    const watch = (): void => {
      others += 1
      if (!isDone) setImmediate(watch)
    }
    setImmediate(watch)

    await pooled(Array.from({ length: 1000 }).keys(), { width: 1, work: (item) => item, take: () => {} })
    isDone = true

    expect(others).toBeGreaterThan(20)
  })
})

describe('a run', { timeout: 60_000 }, () => {
  /** Replies come in another order every time. */
  const shuffled = (salt: number): Client => {
    const client = fakeClient()
    let count = 0
    return {
      complete: async (request, signal) => {
        count += 1
        await turns((count * salt) % 23)
        return client.complete(request, signal)
      },
    }
  }

  const written = async (concurrency: number, salt: number): Promise<Readonly<Record<string, string>>> => {
    const reports = temporaryFolder()
    await runEval(
      {
        models: ['m'],
        formats: ['fncall-nous', 'react'],
        repeat: 2,
        concurrency,
        baseUrl: 'http://m.test/v1',
        reports,
      },
      { clientFor: () => shuffled(salt), clock: () => 0, now: () => new Date(0) },
    )
    const [name = ''] = readdirSync(reports)
    const folder = join(reports, name)
    const files = readdirSync(folder).filter((file) => file !== 'run.json' && file !== 'turns.jsonl')
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  }

  it('writes the same, byte for byte, one at a time, eight and a hundred at a time', async () => {
    const alone = await written(1, 1)

    expect(Object.keys(alone).length).toBeGreaterThan(3)
    expect(await written(8, 7)).toEqual(alone)
    expect(await written(100, 13)).toEqual(alone)
  })
})
