import type { PairedTest } from './paired-tests.ts'

/** What became of a figure. */
export type ChangeKind = 'regressed' | 'improved' | 'no difference' | 'not enough samples'

/** Differences smaller than this, in shares or as a part of the figure, are nobody's business. */
const MARGIN = 0.1

/**
 * What a test of "after" (left) against "before" (right) says.
 *
 * - `regressed`, `improved`: a difference is shown, by the adjusted p where there is one, else by an interval without 0. A
 *   regression must also be larger than `tolerance`.
 * - `no difference`: the whole interval lies within ten points (for means: ten per cent), or within the tolerance.
 * - `not enough samples`: neither; the data agree with a difference that would matter.
 *
 * @param tolerance how much worse a share may be; 0 for none
 */
export function changeOf(test: PairedTest, tolerance = 0): ChangeKind {
  const { effect, interval, right } = test
  if (effect === null || interval === null || test.pairs === 0) return 'not enough samples'
  const harm = harmOf(test) ?? 0
  const margin = test.isShare ? Math.max(MARGIN, tolerance) : MARGIN * Math.abs(right ?? 0)
  const isSmall = Math.max(Math.abs(interval[0]), Math.abs(interval[1])) <= margin
  const isShown = test.p === null ? interval[0] > 0 || interval[1] < 0 : test.isShown
  if (isShown && harm > (test.isShare ? tolerance : 0)) return 'regressed'
  if (isShown && harm < 0) return 'improved'
  return isSmall || isShown ? 'no difference' : 'not enough samples'
}

/** How much worse "after" (left) is; negative where it is better. Null for no figure. */
export function harmOf({ effect, better }: PairedTest): number | null {
  if (effect === null) return null
  return better === 'higher' ? -effect : effect
}
