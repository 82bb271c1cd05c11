import { describe, expect, it } from 'vitest'
import type { TaskShares } from '../../src/metrics/paired-tests.ts'
import { successChanges } from '../../src/metrics/paired-tests.ts'
import { signFlip } from '../../src/statistics/sign-flip.ts'

/** A side with so many tasks of which the first are solved, each tried `of` times. */
function side(solved: number, tasks: number, of = 1): TaskShares {
  return new Map(Array.from({ length: tasks }, (_, at) => [`t${at}`, [at < solved ? of : 0, of]]))
}

describe('successChanges', () => {
  it('is the exact test of the differences per task, after minus before, for any number of tries', () => {
    const [test] = successChanges([{ before: side(2, 12, 3), after: side(11, 12) }])

    const values = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]
    expect(test).toMatchObject({
      effect: 0.75,
      tasks: 12,
      discordant: { left: 9, right: 0 },
      isShown: true,
      interval: signFlip({ values, denominator: 1 }).interval(0.05),
    })
    expect(test?.p).toBeCloseTo(2 / 2 ** 9, 12)
  })

  it('compares only tasks of both sides, and shows nothing from few', () => {
    const few = new Map<string, readonly [number, number]>([...side(0, 3), ['other', [0, 1]]])
    const [test, none] = successChanges([
      { before: few, after: side(3, 3) },
      { before: new Map(), after: side(3, 3) },
    ])

    expect(test).toMatchObject({ effect: 1, tasks: 3, interval: null, isShown: false })
    expect(none).toMatchObject({ effect: null, tasks: 0, interval: null, isShown: false })
  })

  it('bears 200,000 tasks', () => {
    const [test] = successChanges([{ before: side(100_000, 200_000), after: side(120_000, 200_000) }])

    expect(test).toMatchObject({ effect: 0.1, tasks: 200_000, tries: [1, 1], isShown: true })
  })

  it('adjusts the rows of a run for each other: what one row alone would show, four rows may not', () => {
    const row = { before: side(0, 12), after: side(6, 12) }
    const shown = (count: number): readonly boolean[] =>
      successChanges(Array.from({ length: count }, () => row)).map(({ isShown }) => isShown)

    expect(shown(1)).toEqual([true])
    expect(shown(4)).toEqual([false, false, false, false])
    for (const { interval } of successChanges([row, row, row, row])) expect(interval?.[0]).toBeLessThanOrEqual(0)
  })
})
