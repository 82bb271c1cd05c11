import { PAIRED } from '../paired/paired-metric.ts'
import type { RawTest } from '../paired/paired-tests.ts'
import { smallestDifference, smallestDropOf } from '../paired/smallest-shown.ts'

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
