import type { SignFlip } from '../statistics/sign-flip.ts'
import { holm, holmLevels, testable, signFlip } from '../statistics/sign-flip.ts'
import { ALPHA } from '../statistics/exact.ts'
import { mean } from '../statistics/rate.ts'
import type { Better } from './rates.ts'
import type { OutcomePair, EpisodeOutcome } from './outcome.ts'
import type { Differences } from '../statistics/upper-tail.ts'

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
export function pairedTests(pairs: readonly OutcomePair[]): readonly RawTest[] {
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
    if (at === undefined)
      return pairedTest(test, { adjusted: Math.min(1, factor * test.flip.p), level: ALPHA / factor })
    return pairedTest(test, { adjusted: adjusted[at] ?? 1, level: levels[at] ?? ALPHA })
  })
}

/** Success by task: in how many tries it was solved, of how many. */
export type TaskShares = ReadonlyMap<string, Try>

/**
 * Tests how success changed from one run to another, over the tasks of both; the rows are one family. `left` of a test is after, so that its
 * effect and its interval are after minus before.
 */
export function successChanges(
  rows: readonly { readonly before: TaskShares; readonly after: TaskShares }[],
): readonly PairedTest[] {
  return adjustAll(
    rows.map(({ before, after }) => {
      const tasks = [...after].flatMap(([task, own]): readonly TaskTries[] => {
        const other = before.get(task)
        return other === undefined ? [] : [{ task, left: [own], right: [other] }]
      })
      const compared = { tasks, leftOut: 0, lost: 0 }
      return { metric: 'task_success', compared, flip: signFlip(differencesOf(tasks)) }
    }),
  )
}

interface Adjusted {
  readonly adjusted: number
  readonly level: number
}

function pairedTest({ metric, compared, flip }: RawTest, { adjusted, level }: Adjusted): PairedTest {
  const { better, isShare } = PAIRED[metric]
  const { tasks, leftOut } = compared
  const tries = tasks.map(({ left }) => left.length)
  const [fewest, most] = tries.reduce(
    ([least, largest], count) => [Math.min(least, count), Math.max(largest, count)],
    [tries[0] ?? 0, 0],
  )
  const adjustedP = flip.mean === null ? null : adjusted
  const larger = tasks.map(({ left, right }) => Math.sign(figureOf(left) - figureOf(right)))
  return {
    ...{ metric, better, isShare, method: 'sign-flip', tasks: tasks.length, leftOut },
    tries: [fewest, most],
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

/** What can be compared pair by pair, by the names of rates and figures; shares first. */
export const PAIRED_METRICS = [
  'task_success',
  'clean_stop_rate',
  'strict_parse_rate',
  'parse_rate',
  'calls_per_episode',
  'turns_per_episode',
  'tokens_per_episode',
] as const

/** A figure that can be compared pair by pair. */
export type PairedMetric = (typeof PAIRED_METRICS)[number]

/** How a figure is made of episodes. */
export interface PairedSpec {
  /** Null where more is neither better nor worse. */
  readonly better: Better | null
  /** Whether the figure is a share, to be shown in points. */
  readonly isShare: boolean
  /** What is summed over what; null where it is not known of an episode, and then the pair is left out. */
  readonly parts: (outcome: EpisodeOutcome) => readonly [sum: number, of: number] | null
}

const shareSpec = (parts: PairedSpec['parts']): PairedSpec => ({ better: 'higher', isShare: true, parts })
/** A model that gives up early makes few calls, and is no better for it: what was solved on both sides is compared, without a judgement. */
const meanSpec = (count: (outcome: EpisodeOutcome) => number | null): PairedSpec => ({
  ...{ better: null, isShare: false },
  parts: (outcome) => {
    const counted = outcome.success ? count(outcome) : null
    return counted === null ? null : [counted, 1]
  },
})

export const PAIRED: Readonly<Record<PairedMetric, PairedSpec>> = {
  task_success: shareSpec(({ success }) => [Number(success), 1]),
  clean_stop_rate: shareSpec(({ cleanStop }) => [Number(cleanStop), 1]),
  strict_parse_rate: shareSpec(({ strictOk, attempts }) => [strictOk, attempts]),
  parse_rate: shareSpec(({ strictOk, recovered, attempts }) => [strictOk + recovered, attempts]),
  calls_per_episode: meanSpec(({ calls }) => calls),
  turns_per_episode: meanSpec(({ turns }) => turns),
  tokens_per_episode: meanSpec(({ tokens }) => tokens),
}

/** What one episode adds to a figure: so much, of so much. */
export type Try = readonly [sum: number, of: number]

/** One task of a comparison: its tries on both sides, paired. Each side has something to divide by. */
export interface TaskTries {
  readonly task: string
  readonly left: readonly Try[]
  readonly right: readonly Try[]
}

/** The tasks of which a figure can be compared. */
export interface ComparedTasks {
  readonly tasks: readonly TaskTries[]
  /** Tasks without anything to divide by on one side or on both, such as a turn with a call. */
  readonly leftOut: number
  /** The tasks left out that have something on the right side, but nothing on the left. */
  readonly lost: number
}

/** Sorts pairs by task. Pairs of which something is not known are left out. */
export function tasksOf(pairs: readonly OutcomePair[], { parts }: Pick<PairedSpec, 'parts'>): ComparedTasks {
  const found = new Map<string, { readonly left: Try[]; readonly right: Try[] }>()
  for (const pair of pairs) {
    const [left, right] = [parts(pair.left), parts(pair.right)]
    if (left === null || right === null) continue
    const task = found.get(pair.left.task) ?? { left: [], right: [] }
    found.set(pair.left.task, task)
    task.left.push(left)
    task.right.push(right)
  }
  const all = [...found].map(([task, tries]) => ({ task, ...tries }))
  const tasks = all.filter(({ left, right }) => total(left)[1] > 0 && total(right)[1] > 0)
  const lost = all.filter(({ left, right }) => total(left)[1] === 0 && total(right)[1] > 0)
  return { tasks, leftOut: all.length - tasks.length, lost: lost.length }
}

/** The figure of a task on one side: its tries together. */
export function figureOf(tries: readonly Try[]): number {
  const [sum, of] = total(tries)
  return sum / of
}

/** Left minus right, task by task. */
export function differencesOf(tasks: readonly TaskTries[]): Differences {
  let denominator: number | null = 1
  const values = tasks.map(({ left, right }) => {
    const [[one, of], [other, ofOther]] = [total(left), total(right)]
    denominator = commonMultiple(commonMultiple(denominator, of), ofOther)
    // Of whole numbers, so that equal figures differ by 0 and not by what rounding leaves.
    return (one * ofOther - other * of) / (of * ofOther)
  })
  return { values, denominator }
}

/** Where fractions have a larger common denominator, sums of them are as good as any numbers. */
const LARGEST_DENOMINATOR = 1e6

function commonMultiple(one: number | null, other: number): number | null {
  if (one === null || !Number.isInteger(other)) return null
  let [large, small] = [one, other]
  while (small > 0) [large, small] = [small, large % small]
  const multiple = (one / large) * other
  return multiple <= LARGEST_DENOMINATOR ? multiple : null
}

function total(tries: readonly Try[]): Try {
  return tries.reduce(([sum, of], [more, by]): Try => [sum + more, of + by], [0, 0])
}
