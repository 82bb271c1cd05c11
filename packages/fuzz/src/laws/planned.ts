import type { Language } from '../language.ts'
import type { PlannedCall, Sample } from '../sample.ts'

/** The calls of a plan; empty without one. */
export function plannedCalls({ plan }: Sample): readonly PlannedCall[] {
  return (plan?.parts ?? []).filter((part): part is PlannedCall => part.kind === 'call')
}

/**
 * The calls that a reply was meant to have, where everything in it is written as the format teaches; null where it is
 * not, or where it has more calls than count.
 */
export function wellFormedCalls(sample: Sample, { callSeparator }: Language): readonly PlannedCall[] | null {
  const calls = plannedCalls(sample)
  if (calls.length === 0 || calls.some(({ fault }) => fault !== null)) return null
  return calls.length > 1 && callSeparator === null ? null : calls
}
