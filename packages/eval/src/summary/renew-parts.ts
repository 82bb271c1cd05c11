import { TIME_NAMES } from '../metrics/figures.ts'
import type { TimeName, Times } from '../metrics/figures.ts'
import { isRecord } from '../text/json.ts'
import type { JsonRecord } from '../text/json.ts'
import { SUMMARY_SCHEMA } from './eval-summary.ts'
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

/** The version before this one, in which retries and times stood among what the replies decide. */
const SUMMARY_BEFORE_PARTS = 2

/** A stored summary of that version as this one would have written it; any other is given back as it is. Never throws. */
export function withParts(summary: JsonRecord): JsonRecord {
  if (summary['schema'] !== SUMMARY_BEFORE_PARTS || !Array.isArray(summary['rows'])) return summary
  const rows = (summary['rows'] as readonly unknown[]).map(parted)
  const warnings: readonly unknown[] = Array.isArray(summary['warnings']) ? summary['warnings'] : []
  const isOfTransport = (warning: unknown): boolean => isRecord(warning) && warning['code'] === 'retries'
  const { engines, ...run }: JsonRecord = isRecord(summary['run']) ? summary['run'] : {}
  return {
    ...summary,
    schema: SUMMARY_SCHEMA,
    ...(engines === undefined ? {} : { run }),
    rows: rows.map(({ row }) => row),
    warnings: warnings.filter((warning) => !isOfTransport(warning)),
    transport: {
      rows: rows.map(({ named, retriedTurns }) => ({ ...named, retriedTurns })),
      ...{ endpoints: [], moved: 0, restarted: 0, superseded: 0, askedTwice: 0, dropped: 0 },
      ...(engines === undefined ? {} : { engines }),
      warnings: warnings.filter(isOfTransport),
    },
    timing: { rows: rows.map(({ named, times }) => ({ ...named, figures: times })) },
  }
}

interface Parted {
  readonly row: unknown
  readonly named: JsonRecord
  readonly retriedTurns: number
  readonly times: Times
}

function parted(value: unknown): Parted {
  const { retriedTurns, ...row }: JsonRecord = isRecord(value) ? value : {}
  const figures: JsonRecord = isRecord(row['figures']) ? row['figures'] : {}
  const isTime = (name: string): boolean => (TIME_NAMES as readonly string[]).includes(name)
  const kept = Object.fromEntries(Object.entries(figures).filter(([name]) => !isTime(name)))
  return {
    row: isRecord(value) ? { ...row, figures: kept } : value,
    named: { model: row['model'], protocol: row['protocol'] },
    retriedTurns: numberOr(retriedTurns, 0),
    times: Object.fromEntries(
      TIME_NAMES.map((name): [TimeName, number | null] => [name, numberOr(figures[name], null)]),
    ) as Times,
  }
}

function numberOr<T>(value: unknown, other: T): number | T {
  return typeof value === 'number' ? value : other
}
