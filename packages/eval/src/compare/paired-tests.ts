import { bootstrapAll } from '../statistics/bootstrap.ts'
import { ALPHA, mcnemar, smallestShown } from '../statistics/mcnemar.ts'
import { holm } from '../statistics/holm.ts'
import { pairedDifference } from '../statistics/newcombe.ts'
import type { Better } from '../summary/rates.ts'
import type { EpisodeOutcome } from './outcome.ts'
import type { Pair } from './pair.ts'

/** What can be compared pair by pair, by the names of rates and figures; those with a p first. */
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

/** One figure of two sides, over the same tasks with the same seeds. */
export interface PairedTest {
  readonly metric: PairedMetric
  readonly better: Better
  /** Whether the figure is a share, to be shown in points. */
  readonly isShare: boolean
  /**
   * `mcnemar`: exact test of pairs that differ, interval of Newcombe. `bootstrap`: interval only, over whole tasks.
   */
  readonly method: 'mcnemar' | 'bootstrap'
  readonly pairs: number
  readonly left: number | null
  readonly right: number | null
  /** Left minus right. */
  readonly effect: number | null
  /** 95 %. */
  readonly interval: readonly [number, number] | null
  /** Pairs in which only the left side succeeded, and only the right one; null where nothing succeeds or fails. */
  readonly discordant: { readonly left: number; readonly right: number } | null
  readonly p: number | null
  /** The same after Holm, over all tests that are shown together. */
  readonly adjustedP: number | null
  /** Whether the difference is shown: the adjusted p is below 0.05. */
  readonly isShown: boolean
  /** Who is better by this figure, shown or not; null for nobody. */
  readonly favours: 'left' | 'right' | null
  /** The smallest difference that so many differing pairs could have shown; null for none. */
  readonly resolution: number | null
}

interface BinarySpec {
  readonly kind: 'binary'
  readonly better: Better
  readonly hit: (outcome: EpisodeOutcome) => boolean
}

interface RatioSpec {
  readonly kind: 'ratio'
  readonly better: Better
  readonly isShare: boolean
  /** What is summed over what; null where it is not known of an episode, and then the pair is left out. */
  readonly parts: (outcome: EpisodeOutcome) => readonly [sum: number, of: number] | null
}

/** What is compared, by the names of rates and figures. */
const PAIRED: Readonly<Record<PairedMetric, BinarySpec | RatioSpec>> = {
  task_success: { kind: 'binary', better: 'higher', hit: ({ success }) => success },
  clean_stop_rate: { kind: 'binary', better: 'higher', hit: ({ cleanStop }) => cleanStop },
  strict_parse_rate: {
    kind: 'ratio',
    better: 'higher',
    isShare: true,
    parts: ({ strictOk, attempts }) => [strictOk, attempts],
  },
  parse_rate: {
    kind: 'ratio',
    better: 'higher',
    isShare: true,
    parts: ({ strictOk, recovered, attempts }) => [strictOk + recovered, attempts],
  },
  calls_per_episode: { kind: 'ratio', better: 'lower', isShare: false, parts: ({ calls }) => [calls, 1] },
  turns_per_episode: { kind: 'ratio', better: 'lower', isShare: false, parts: ({ turns }) => [turns, 1] },
  tokens_per_episode: {
    kind: 'ratio',
    better: 'lower',
    isShare: false,
    parts: ({ tokens }) => (tokens === null ? null : [tokens, 1]),
  },
}

/** Compares two sides in everything; p values are not adjusted yet, see `adjustAll`. */
export function pairedTests(pairs: readonly Pair[]): readonly PairedTest[] {
  const binary: PairedTest[] = []
  const ratios: [PairedMetric, RatioSpec][] = []
  for (const metric of PAIRED_METRICS) {
    const spec = PAIRED[metric]
    if (spec.kind === 'binary') binary.push(binaryTest(metric, spec, pairs))
    else ratios.push([metric, spec])
  }
  return [...binary, ...ratioTests(ratios, pairs)]
}

/**
 * Adjusts the p values of tests that are shown together, and says which differences are shown.
 *
 * Tests with so few differing pairs that no split could be significant are not counted among them (Tarone 1990): they cannot
 * reject anything, and how many pairs differ says nothing about which side is better. Two protocols that both solve
 * everything do not make it harder to tell two others apart.
 */
export function adjustAll<Test extends PairedTest>(tests: readonly Test[]): readonly Test[] {
  const tested = tests.filter(({ p, resolution }) => p !== null && resolution !== null)
  const adjusted = new Map(holm(tested.map(({ p }) => p ?? 1)).map((p, index) => [tested[index], p]))
  return tests.map((test) => {
    const adjustedP = adjusted.get(test) ?? test.p
    return { ...test, adjustedP, isShown: adjustedP !== null && adjustedP < ALPHA }
  })
}

function binaryTest(metric: PairedMetric, { better, hit }: BinarySpec, pairs: readonly Pair[]): PairedTest {
  const counts = { both: 0, first: 0, second: 0, neither: 0 }
  for (const { left, right } of pairs) {
    if (hit(left)) counts[hit(right) ? 'both' : 'first'] += 1
    else counts[hit(right) ? 'second' : 'neither'] += 1
  }
  const n = pairs.length
  const difference = pairedDifference(counts)
  return {
    metric,
    better,
    isShare: true,
    method: 'mcnemar',
    pairs: n,
    left: n === 0 ? null : (counts.both + counts.first) / n,
    right: n === 0 ? null : (counts.both + counts.second) / n,
    effect: difference?.effect ?? null,
    interval: difference?.interval ?? null,
    discordant: { left: counts.first, right: counts.second },
    p: n === 0 ? null : mcnemar(counts.first, counts.second),
    adjustedP: null,
    isShown: false,
    favours: favoured(difference?.effect ?? null, better),
    resolution: smallestShown(counts.first + counts.second, n),
  }
}

/** Four sums per metric and task: what the left side has over what, and the right one. */
function ratioTests(specs: readonly (readonly [PairedMetric, RatioSpec])[], pairs: readonly Pair[]): PairedTest[] {
  const clusters = new Map<string, number[]>()
  const used = specs.map(() => 0)
  for (const { left, right } of pairs) {
    const sums = clusters.get(left.task) ?? Array.from({ length: 4 * specs.length }, () => 0)
    clusters.set(left.task, sums)
    for (const [index, [, { parts }]] of specs.entries()) {
      const [one, other] = [parts(left), parts(right)]
      if (one === null || other === null) continue
      used[index] = (used[index] ?? 0) + 1
      for (const [offset, value] of [...one, ...other].entries())
        sums[4 * index + offset] = (sums[4 * index + offset] ?? 0) + value
    }
  }
  const quotient = (sums: ArrayLike<number>, at: number): number | null =>
    (sums[at + 1] ?? 0) === 0 ? null : (sums[at] ?? 0) / (sums[at + 1] ?? 1)
  const difference = (index: number) => (sums: ArrayLike<number>) => {
    const [left, right] = [quotient(sums, 4 * index), quotient(sums, 4 * index + 2)]
    return left === null || right === null ? null : left - right
  }
  const totals = Array.from({ length: 4 * specs.length }, (_, at) =>
    [...clusters.values()].reduce((sum, each) => sum + (each[at] ?? 0), 0),
  )
  const found = bootstrapAll(
    [...clusters.values()],
    specs.map((_, index) => difference(index)),
  )
  return specs.map(([metric, { better, isShare }], index): PairedTest => {
    const effect = difference(index)(totals)
    return {
      metric,
      better,
      isShare,
      method: 'bootstrap',
      pairs: used[index] ?? 0,
      left: quotient(totals, 4 * index),
      right: quotient(totals, 4 * index + 2),
      effect,
      interval: clusters.size < FEWEST_TASKS ? null : (found[index]?.interval ?? null),
      discordant: null,
      p: null,
      adjustedP: null,
      isShown: false,
      favours: favoured(effect, better),
      resolution: null,
    }
  })
}

/** Resampling so few tasks would say more than anybody can know of them. */
const FEWEST_TASKS = 5

function favoured(effect: number | null, better: Better): 'left' | 'right' | null {
  if (effect === null || effect === 0) return null
  return effect > 0 === (better === 'higher') ? 'left' : 'right'
}
