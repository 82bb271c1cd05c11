import type { Differences } from './upper-tail.ts'
import { createUpperTail } from './upper-tail.ts'

/** The exact sign-flip test of a mean, and what follows from it. */
export interface SignFlip {
  /** How many values there are, and how many of them are not 0. */
  readonly of: number
  readonly differing: number
  /** Null of nothing. */
  readonly mean: number | null
  /** Two-sided, against a mean of 0. */
  readonly p: number
  /** One-sided: how likely a sum that large is, if the mean is `shift`. Small where the mean is larger than that. */
  above(shift: number): number
  /** The same for sums that small. */
  below(shift: number): number
  /**
   * Every mean that the two-sided test does not reject at `level`; it holds 0 exactly where `p` is at least `level`. Null
   * where so few values cannot reject any.
   */
  interval(level: number): readonly [number, number] | null
}

/**
 * Fisher's randomisation test on per-task differences: if neither side is better, each difference might as well have the
 * other sign. How likely is a sum that far from 0 among all 2^n choices of signs? What a task does under several seeds goes
 * into its one difference, so tries that depend on each other, or are the same, do no harm.
 *
 * Against another mean the values minus it are flipped. A sum of flipped values is as large as the observed one where those
 * that were turned have a mean of at most `shift` (Hartigan 1969), so the test is a count of subsets, and its p only rises
 * with the shift: that is what makes an interval of it.
 *
 * Exact by dynamic programming where values are whole numbers of a common denominator and few enough, or by taking all
 * subsets of up to eleven; otherwise the saddle-point approximation.
 */
export function signFlip(differences: Differences): SignFlip {
  const { values, denominator } = differences
  const above = createUpperTail(differences)
  const mirrored = createUpperTail({ values: values.map((value) => -value), denominator })
  const below = (shift: number): number => mirrored(-shift)
  const mean = meanOf(values)
  const p = Math.min(1, 2 * Math.min(above(0), below(0)))
  return {
    of: values.length,
    differing: values.filter((value) => value !== 0).length,
    mean,
    p,
    above,
    below,
    interval: (level) => {
      if (mean === null || 2 * 2 ** -values.length >= level) return null
      const [smallest, largest] = [leastOf(values), -leastOf(values.map((value) => -value))]
      const [isAbove, isBelow] = [mean > 0 && p < level, mean < 0 && p < level]
      return [
        crossing((shift) => above(shift) >= level / 2, isAbove ? [0, mean] : [smallest, Math.min(0, mean)]),
        crossing((shift) => below(shift) >= level / 2, isBelow ? [0, mean] : [largest, Math.max(0, mean)]),
      ]
    },
  }
}

/** The smallest value. A call takes no hundred thousand arguments. */
function leastOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity)
}

/** Differences that cancel out except for rounding are 0. */
function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sum = values.reduce((total, value) => total + value, 0)
  const scale = values.reduce((total, value) => total + Math.abs(value), 0)
  return Math.abs(sum) <= 1e-12 * scale ? 0 : sum / values.length
}

/** Where a statement that holds at `inside`, and not beyond `outside`, begins to hold; always on the side where it does. */
function crossing(holds: (shift: number) => boolean, [outside, inside]: readonly [number, number]): number {
  let [not, does] = [outside, inside]
  if (outside !== 0 && holds(outside)) return outside
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (not + does) / 2
    if (holds(middle)) does = middle
    else not = middle
  }
  return does
}

/** Halvings: a hundred-thousandth of the way. */
const HALVINGS = 17

/** The tests of a family that could show something at all. */
export interface Testable {
  readonly isTestable: readonly boolean[]
  /** What the p of a test that could not is multiplied by, so that it stays above the level. */
  readonly factor: number
}

/**
 * Which tests of a family count for its adjustment (Tarone 1990). `minima` are the smallest p values that the data could
 * have given; they do not show which side is better, so tests may be chosen by them. A test that even then would
 * not fall below level / k, when k tests would, cannot reject anything and takes nothing from the others.
 */
export function testable(minima: readonly number[], level: number): Testable {
  for (let size = 1; ; size += 1) {
    const isTestable = minima.map((least) => least < level / size)
    if (isTestable.filter(Boolean).length <= size) return { isTestable, factor: size }
  }
}

/**
 * Holm's adjustment of several p values that are read together: each result may be compared with the same level as a single
 * test. In the order of the input.
 */
export function holm(values: readonly number[]): readonly number[] {
  const order = values.map((_, index) => index).sort((left, right) => (values[left] ?? 1) - (values[right] ?? 1))
  const adjusted: number[] = []
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (values.length - rank) * (values[index] ?? 1)))
    adjusted[index] = largest
  }
  return adjusted
}

/**
 * The level at which Holm compares each of `values` with its p, in the order of the input: an interval at that level agrees
 * with the adjusted p. After the first that is not rejected, nothing is, and all have its level.
 */
export function holmLevels(values: readonly number[], level: number): readonly number[] {
  const adjusted = holm(values)
  const rejected = adjusted.filter((p) => p < level).length
  const order = values.map((_, index) => index).sort((left, right) => (values[left] ?? 1) - (values[right] ?? 1))
  const levels: number[] = []
  for (const [rank, index] of order.entries()) levels[index] = level / (values.length - Math.min(rank, rejected))
  return levels
}
