import { holm, holmLevels, testable } from '../statistics/holm.ts'
import { ALPHA } from '../statistics/mcnemar.ts'
import { signFlip } from '../statistics/sign-flip.ts'
import type { SignFlip } from '../statistics/sign-flip.ts'
import { mean } from '../statistics/tally.ts'
import type { Better } from '../metrics/rates.ts'
import { PAIRED, PAIRED_METRICS } from './paired-metric.ts'
import type { PairedMetric } from './paired-metric.ts'
import type { Pair } from './pair.ts'
import { differencesOf, figureOf, tasksOf } from './task-tries.ts'
import type { ComparedTasks } from './task-tries.ts'

/** One figure of two sides, over the same tasks with the same seeds. */
export interface PairedTest {
  readonly metric: PairedMetric
  /** Null where more is neither better nor worse: calls, turns and tokens, over tasks that both sides solved. */
  readonly better: Better | null
  /** Whether the figure is a share, to be shown in points. */
  readonly isShare: boolean
  /** `sign-flip`: exact test of the differences per task. Runs of earlier versions have other names here. */
  readonly method: 'sign-flip'
  /** Tasks that were compared, and how often each was tried on both sides: fewest and most. */
  readonly tasks: number
  readonly tries: readonly [fewest: number, most: number]
  /** Tasks that are left out, because one side has nothing to divide by, such as a turn with a call. */
  readonly leftOut: number
  /** Pairs of episodes of the compared tasks. */
  readonly pairs: number
  /** Mean over tasks; null without a task. */
  readonly left: number | null
  readonly right: number | null
  /** Left minus right: the mean of the differences per task. */
  readonly effect: number | null
  /**
   * Every difference that the test does not reject at `level`, so that it agrees with the adjusted p; null where so few tasks
   * cannot reject any.
   */
  readonly interval: readonly [number, number] | null
  /** What Holm leaves of 0.05 for this test. */
  readonly level: number
  /** Tasks in which the figure of the left side is larger, and of the right one. */
  readonly discordant: { readonly left: number; readonly right: number }
  readonly p: number | null
  /** The same after Holm, over all tests that are shown together. */
  readonly adjustedP: number | null
  /** Whether the difference is shown: the adjusted p is below 0.05. */
  readonly isShown: boolean
  /** Which side is better by this figure, shown or not; null for neither. */
  readonly favours: 'left' | 'right' | null
  /** The smallest difference of a share that four of five such comparisons show; null for none, absent where it was not looked for. */
  readonly smallest?: number | null
}

/** A test before it is read together with others. */
export interface RawTest {
  readonly metric: PairedMetric
  readonly compared: ComparedTasks
  /** Left minus right, task by task. */
  readonly flip: SignFlip
}

/** Compares two sides in everything. */
export function pairedTests(pairs: readonly Pair[]): readonly RawTest[] {
  return PAIRED_METRICS.map((metric) => {
    const compared = tasksOf(pairs, PAIRED[metric])
    return { metric, compared, flip: signFlip(differencesOf(compared.tasks)) }
  })
}

/**
 * Adjusts the p values of tests that are shown together, says which differences are shown, and gives each its interval at
 * the level that is left for it.
 *
 * Tests with so few differing tasks that no choice of signs could be significant are not counted among them (Tarone 1990):
 * they cannot reject anything, and how many tasks differ says nothing about which side is better. Two formats that both
 * solve everything do not make it harder to distinguish two others.
 */
export function adjustAll(tests: readonly RawTest[]): readonly PairedTest[] {
  const { isTestable, factor } = testable(
    tests.map(({ flip }) => 2 * 2 ** -flip.differing),
    ALPHA,
  )
  const family = tests.filter((_, at) => isTestable[at])
  const values = family.map(({ flip }) => flip.p)
  const [adjusted, levels] = [holm(values), holmLevels(values, ALPHA)]
  const place = new Map(family.map((test, index) => [test, index]))
  return tests.map((test) => {
    const at = place.get(test)
    if (at === undefined) return told(test, { adjusted: Math.min(1, factor * test.flip.p), level: ALPHA / factor })
    return told(test, { adjusted: adjusted[at] ?? 1, level: levels[at] ?? ALPHA })
  })
}

interface Adjusted {
  readonly adjusted: number
  readonly level: number
}

function told({ metric, compared, flip }: RawTest, { adjusted, level }: Adjusted): PairedTest {
  const { better, isShare } = PAIRED[metric]
  const { tasks, leftOut } = compared
  const tries = tasks.map(({ left }) => left.length)
  const adjustedP = flip.mean === null ? null : adjusted
  const larger = tasks.map(({ left, right }) => Math.sign(figureOf(left) - figureOf(right)))
  return {
    ...{ metric, better, isShare, method: 'sign-flip', tasks: tasks.length, leftOut },
    tries: [Math.min(...tries, Infinity) === Infinity ? 0 : Math.min(...tries), Math.max(0, ...tries)],
    pairs: tries.reduce((sum, count) => sum + count, 0),
    left: mean(tasks.map(({ left }) => figureOf(left))),
    right: mean(tasks.map(({ right }) => figureOf(right))),
    effect: flip.mean,
    interval: flip.interval(level),
    level,
    discordant: {
      left: larger.filter((sign) => sign > 0).length,
      right: larger.filter((sign) => sign < 0).length,
    },
    p: flip.mean === null ? null : flip.p,
    adjustedP,
    isShown: adjustedP !== null && adjustedP < ALPHA,
    favours: favoured(flip.mean, better),
  }
}

function favoured(effect: number | null, better: Better | null): 'left' | 'right' | null {
  if (effect === null || effect === 0 || better === null) return null
  return effect > 0 === (better === 'higher') ? 'left' : 'right'
}
