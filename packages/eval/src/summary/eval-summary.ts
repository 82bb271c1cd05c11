import type { MixedUp, Warning } from './warnings.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { PairedMetric } from '../metrics/paired-tests.ts'
import type { ModelComparison, FormatComparison } from '../metrics/compare-rows.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { InjectionRow } from './injection.ts'
import type { SummaryRow, TaskCell } from './row.ts'
import type { Timing, Transport } from './transport.ts'

/** The version of `summary.json`; readers refuse one that they do not know. */
export const SUMMARY_SCHEMA = 3

/**
 * The result of a run; the content of `summary.json`. Everything that tables and reports show is computed here. Equal replies
 * make equal summaries: what depends on the servers and the network is in `transport` and `timing`.
 */
export interface EvalSummary {
  readonly schema: typeof SUMMARY_SCHEMA
  /** Version of the scorer: it changes whenever the same trace may get another label. */
  readonly scorer: string
  readonly run: RunFacts
  readonly rows: readonly SummaryRow[]
  /** The result of every task, in the order of the plan; `cells` are in the order of `rows`. */
  readonly grid: readonly GridTask[]
  /** Formats of one model against each other, over the same tasks with the same seeds. */
  readonly comparisons: readonly FormatComparison[]
  /** Models under one format against each other, in the same family of tests. Absent in earlier versions. */
  readonly modelComparisons?: readonly ModelComparison[]
  /** How much a model depends on the format. */
  readonly sensitivity: readonly Sensitivity[]
  /** What models did with forged texts in results; absent where no task has one. */
  readonly injection?: readonly InjectionRow[]
  /** What a reader should know before believing a figure; `transport` has more. See `allWarnings`. */
  readonly warnings: readonly Warning[]
  /** How far the labels agree with what was injected; null for real models. */
  readonly ledger: LedgerAgreement | null
  /** How the replies were got. */
  readonly transport: Transport
  /** How long they took. Simulated models have virtual times. */
  readonly timing: Timing
}

export interface GridTask {
  readonly task: string
  readonly category: string
  readonly lang: string
  readonly cells: readonly TaskCell[]
}

/** Spread of a share over the formats of a model (BFCL v4's format sensitivity). */
export interface Sensitivity {
  readonly model: string
  readonly metric: Extract<PairedMetric, 'strict_parse_rate' | 'parse_rate' | 'clean_stop_rate' | 'task_success'>
  /** Largest minus smallest, from 0 to 1. */
  readonly maxDelta: number
  readonly deviation: number
  readonly best: FormatName
  readonly worst: FormatName
}

/** How far a measurement agrees with what was injected. */
export interface LedgerAgreement {
  readonly turns: number
  /** Turns with the injected labels, and those with the injected culprit. Null here and below: a run from before these were counted. */
  readonly turnsAgreeing: number
  readonly turnBlamesAgreeing: number | null
  readonly episodes: number
  /** Episodes with the injected end, success, culprit, number of calls. */
  readonly episodesAgreeing: number
  readonly successAgreeing: number | null
  readonly blamesAgreeing: number | null
  readonly callsAgreeing: number | null
  /** Episodes that did with their forged text what was injected, and how many have one. Absent where no task has one. */
  readonly forged?: { readonly episodes: number; readonly agreeing: number }
  /** One line per difference: where, what was injected, what was measured. The first 200. */
  readonly differences: readonly string[]
  /** Formats that were answered in another one. Absent without any, and in older summaries. */
  readonly mixedUp?: readonly MixedUp[]
}
