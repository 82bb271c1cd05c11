import fc from 'fast-check'

/** How a text is to be cut, before its length is known: at parts of its length, or between all units. */
export type CutPlan = readonly number[] | 'units'

/** Cuts are drawn as parts of this; a length is multiplied with them. */
const WHOLE = 1 << 16

/** Few cuts anywhere, many of them at one place (empty chunks), and sometimes a cut between all units. */
export function cutPlan(maxCuts = 6): fc.Arbitrary<CutPlan> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.nat(WHOLE), { maxLength: maxCuts }) },
    { weight: 1, arbitrary: fc.constant<CutPlan>('units') },
  )
}

/** The offsets of a plan in a text of a length, ascending. A long text is not cut between all of its units. */
export function cutsFor(length: number, plan: CutPlan): readonly number[] {
  if (plan !== 'units') return plan.map((part) => Math.round((part / WHOLE) * length)).sort((a, b) => a - b)
  const step = Math.max(1, Math.ceil(length / MAX_UNITS))
  const cuts: number[] = []
  for (let at = step; at < length; at += step) cuts.push(at)
  return cuts
}

/** Snapshots at all of them have to stay affordable. */
const MAX_UNITS = 48
