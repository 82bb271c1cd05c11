import { PAIRED } from '../paired/paired-metric.ts'
import { smallestDifference, smallestDropOf } from '../paired/compare-rows.ts'
import type { PairedTest, RawTest } from '../paired/paired-tests.ts'

/** One-sided questions about a share of two runs, "after" (left) against "before" (right). */
export interface DropTest {
  /** Tasks in which the share differs. */
  readonly differing: number
  /** Tasks that had something to divide by before, and have nothing after: whether they dropped cannot be said. */
  readonly lost: number
  /** How likely a drop that large is, if the true one is `tolerance`; small where it is larger. */
  p(tolerance: number): number
  /** The smallest drop that is shown to be larger than `tolerance` in four of five such runs; null for none. */
  smallest(search: { readonly tolerance: number; readonly level: number }): number | null
  /** The smallest change, either way, that is shown in four of five such runs at this two-sided level; null for none. */
  smallestChange(level: number): number | null
}

/** Asks of a share whether it has dropped; null for figures that are no shares. */
export function dropTestOf(test: RawTest | undefined): DropTest | null {
  if (test === undefined || !PAIRED[test.metric].isShare) return null
  const { flip, compared } = test
  return {
    differing: flip.differing,
    lost: compared.lost,
    p: (tolerance) => flip.below(-tolerance),
    smallest: (search) => smallestDropOf(compared, search),
    smallestChange: (level) => smallestDifference(test, level),
  }
}

/** How a figure changed. */
export type ChangeKind = 'regressed' | 'improved' | 'more' | 'fewer' | 'no difference' | 'not enough samples'

/** Differences smaller than this, in shares or as a part of the figure, do not matter. */
export const MARGIN = 0.1

/**
 * What a test of "after" (left) against "before" (right) says, by its interval alone, which agrees with the adjusted p.
 *
 * - `regressed`, `improved`: a difference is shown; for shares a regression by more than `tolerance`.
 * - `more`, `fewer`: a difference is shown of a figure that is neither better nor worse, such as calls.
 * - `no difference`: the whole interval lies within ten points (for means: ten per cent), or within the tolerance.
 * - `not enough samples`: neither; the data agree with a difference that would matter.
 *
 * @param tolerance how much worse a share may be; 0 for none
 */
export function changeOf(test: PairedTest, tolerance = 0): ChangeKind {
  const { interval, right, effect, isShown } = test
  if (interval === null) return 'not enough samples'
  if (isShown && test.better === null) return (effect ?? 0) > 0 ? 'more' : 'fewer'
  const [least, most] = test.better === 'lower' ? interval : [-interval[1], -interval[0]]
  const allowed = test.isShare ? tolerance : 0
  const margin = test.isShare ? Math.max(MARGIN, tolerance) : MARGIN * Math.abs(right ?? 0)
  if (isShown && least > allowed) return 'regressed'
  if (isShown && most < 0) return 'improved'
  return Math.max(Math.abs(least), Math.abs(most)) <= margin ? 'no difference' : 'not enough samples'
}

/** How much worse "after" (left) of a share is; negative where it is better. Null for no figure. */
export function worseningOf({ effect, better }: PairedTest): number | null {
  if (effect === null) return null
  return better === 'lower' ? effect : -effect
}
