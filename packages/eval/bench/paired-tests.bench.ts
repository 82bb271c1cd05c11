import { bench, describe } from 'vitest'
import { adjustAll, pairedTests } from '../src/paired/paired-tests.ts'
import { PAIRED, PAIRED_METRICS } from '../src/paired/paired-metric.ts'
import { pairUp } from '../src/paired/pair.ts'
import type { Pair } from '../src/paired/pair.ts'
import { tasksOf } from '../src/paired/task-tries.ts'
import { bootstrapAll } from '../src/statistics/bootstrap.ts'
import { randomSource } from '../src/statistics/random.ts'
import { drawSkills, madeRun } from '../test/helpers/made-runs.ts'

/*
 * What the tests by task of four protocols cost (42 tasks with three tries, six comparisons of seven figures, p values and
 * intervals), beside 2000 bootstrap samples of the same comparisons. CPU of this process, both in turn, so that the ratio holds
 * on any machine.
 */
const RESAMPLES = 2000
const ROUNDS = 15

/** See `packages/core/bench/measure.ts`. */
const ONCE = { iterations: 1, time: 0, warmupIterations: 0, warmupTime: 0, warmup: false } as const

describe('tests by task', () => {
  let isDone = false
  bench(
    'six comparisons of seven figures',
    () => {
      if (isDone) return
      isDone = true
      const comparisons = madeComparisons()
      const costs = { tests: [] as number[], bootstrap: [] as number[] }
      for (let round = 0; round < ROUNDS; round += 1) {
        costs.tests.push(cpuOf(() => adjustAll(comparisons.flatMap(pairedTests))))
        costs.bootstrap.push(cpuOf(() => comparisons.map(resampled)))
      }
      const [tests, bootstrap] = [median(costs.tests), median(costs.bootstrap)]
      console.log(
        `tests by task ${tests.toFixed(1)} ms, ${RESAMPLES} bootstrap samples ${bootstrap.toFixed(1)} ms: ${(tests / bootstrap).toFixed(2)}`,
      )
    },
    ONCE,
  )
})

function madeComparisons(): readonly (readonly Pair[])[] {
  const random = randomSource(11)
  const skills = drawSkills(random, { tasks: 42, mean: 0.8, concentration: 2 })
  const made = Array.from({ length: 4 }, () => madeRun({ alike: false, random, rows: [{ skills }] }, 'protocols'))
  return made.flatMap((left, at) => made.slice(at + 1).map((right) => pairUp(left, right).pairs))
}

/** Four sums per figure and task, and the difference of two quotients of their sums. */
function resampled(pairs: readonly Pair[]): unknown {
  const tasks = PAIRED_METRICS.map((metric) => tasksOf(pairs, PAIRED[metric]).tasks)
  const clusters = (tasks[0] ?? []).map((_, task) =>
    tasks.flatMap((own) =>
      [own[task]?.left ?? [], own[task]?.right ?? []].flatMap((tries) => [sumOf(tries, 0), sumOf(tries, 1)]),
    ),
  )
  const statistics = tasks.map((_, figure) => (sums: ArrayLike<number>) => {
    const at = (offset: number): number => sums[4 * figure + offset] ?? 0
    return at(1) === 0 || at(3) === 0 ? null : at(0) / at(1) - at(2) / at(3)
  })
  return bootstrapAll(clusters, statistics, { resamples: RESAMPLES })
}

function sumOf(tries: readonly (readonly [number, number])[], part: 0 | 1): number {
  return tries.reduce((sum, each) => sum + each[part], 0)
}

function cpuOf(act: () => unknown): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
