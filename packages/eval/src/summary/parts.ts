import { TIME_NAMES } from '../metrics/figures.ts'
import type { TimeName, Times } from '../metrics/figures.ts'
import type { EvalSummary } from './eval-summary.ts'
import type { SummaryRow } from './row.ts'
import type { Warning } from './warnings.ts'

/** A summary without what depends on the way to the servers and on time: equal for equal replies. */
export type SettledSummary = Omit<EvalSummary, 'transport' | 'timing'>

/** The part of a summary that depends on the replies alone. */
export function settledPart({ transport: _transport, timing: _timing, ...settled }: EvalSummary): SettledSummary {
  return settled
}

/** All warnings, those about the way to the servers last. */
export function allWarnings({ warnings, transport }: Pick<EvalSummary, 'warnings' | 'transport'>): readonly Warning[] {
  return [...warnings, ...transport.warnings]
}

/** The times of a row; null where the summary has none. */
export function timesOfRow(
  { timing }: Pick<EvalSummary, 'timing'>,
  { model, protocol }: Pick<SummaryRow, 'model' | 'protocol'>,
): Times {
  return timing.rows.find((row) => row.model === model && row.protocol === protocol)?.figures ?? NO_TIMES
}

const NO_TIMES = Object.fromEntries(TIME_NAMES.map((name): [TimeName, null] => [name, null])) as Times
