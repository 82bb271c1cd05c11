import { compareRows } from '../metrics/compare-rows.ts'
import type { EpisodeOutcome, OutcomeStore } from '../metrics/outcome.ts'
import { createOutcomeStore, episodeOutcome } from '../metrics/outcome.ts'
import type { EpisodeScore } from '../score/scores.ts'
import { SCORER_VERSION } from '../score/scores.ts'
import { sampleDeviation } from '../statistics/rate.ts'
import type { EvalSummary, GridTask, LedgerAgreement, Sensitivity } from './eval-summary.ts'
import { SUMMARY_SCHEMA } from './eval-summary.ts'
import type { InjectionRow } from './injection.ts'
import { createInjectionCounter } from './injection.ts'
import type { RowCounter, SummaryRow } from './row.ts'
import { createRowCounter } from './row.ts'
import type { TransportFacts, Timing, Transport } from './transport.ts'
import { createTransportCounter } from './transport.ts'
import type { Warning } from './warnings.ts'
import { warningsOf } from './warnings.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { Price, TimeName, Times } from '../metrics/figures.ts'
import { TIME_NAMES } from '../metrics/figures.ts'
import type { JsonRecord } from '../text/json.ts'
import { isRecord } from '../text/json.ts'

/** Sums a run up, episode by episode. */
export interface Summarizer {
  /** Takes one episode. Give every episode once; nothing of its text is kept. */
  add(score: EpisodeScore): void
  /** The results so far, with rows and tasks in the order in which they were added. */
  finish(options?: FinishOptions): EvalSummary
  /** What a later comparison needs of every episode so far. */
  outcomes(): readonly EpisodeOutcome[]
}

/** What only is known at the end. */
export interface FinishOptions {
  readonly ledger?: LedgerAgreement | null
  /** What the replies do not show of the run. */
  readonly transport?: TransportFacts
}

export interface SummarizerOptions {
  readonly run: RunFacts
  /** By model. A model without a price has an unknown cost. */
  readonly prices?: Readonly<Record<string, Price>>
}

interface RowGroup {
  readonly model: string
  readonly protocol: FormatName
  readonly counter: RowCounter
  readonly outcomes: OutcomeStore
}

/** A summary that grows with every episode. Keeps about a hundred bytes per episode and 16 per reply. */
export function createSummarizer({ run, prices = {} }: SummarizerOptions): Summarizer {
  const groups = new Map<string, RowGroup>()
  const tasks = new Map<string, Pick<GridTask, 'category' | 'lang'>>()
  const transport = createTransportCounter()
  const injection = createInjectionCounter()
  return {
    add: (score) => {
      const { model, protocol, task } = score.key
      const key = JSON.stringify([model, protocol])
      const group = groups.get(key) ?? {
        model,
        protocol,
        counter: createRowCounter(model, protocol),
        outcomes: createOutcomeStore({ model, protocol }),
      }
      groups.set(key, group)
      if (!tasks.has(task)) tasks.set(task, { category: score.category, lang: score.lang })
      group.counter.add(score)
      transport.add(score)
      injection.add(score)
      group.outcomes.add(episodeOutcome(score))
    },
    outcomes: () => [...groups.values()].flatMap(({ outcomes }) => outcomes.all()),
    finish: ({ ledger = null, transport: facts = {} } = {}) => {
      const all = [...groups.values()]
      const rows = all.map(({ model, counter }) => counter.row(prices[model] ?? null))
      const grid = [...tasks].map(([task, { category, lang }]) => ({
        ...{ task, category, lang },
        cells: all.map(({ counter }) => counter.task(task)),
      }))
      return {
        schema: SUMMARY_SCHEMA,
        scorer: SCORER_VERSION,
        run,
        rows,
        grid,
        ...compareRows(
          all.map(({ model, protocol, outcomes }, at) => ({
            ...{ model, protocol, outcomes: outcomes.all },
            isAlike: rows[at]?.alike === true,
          })),
        ),
        sensitivity: sensitivityOf(rows),
        ...injectionOf(injection.rows()),
        warnings: warningsOf(rows, run, ledger),
        ledger,
        transport: transport.result(
          transportRows(all),
          all.reduce((sum, { counter }) => sum + counter.turns(), 0),
          facts,
        ),
        timing: timingOf(all),
      }
    },
  }
}

/** Only where tasks held forged texts. */
function injectionOf(injection: readonly InjectionRow[]): Pick<EvalSummary, 'injection'> {
  return injection.length === 0 ? {} : { injection }
}

/** In the order of the summary's rows. */
function transportRows(groups: readonly RowGroup[]): Transport['rows'] {
  return groups.map(({ model, protocol, counter }) => ({ model, protocol, retriedTurns: counter.retriedTurns() }))
}

function timingOf(groups: readonly RowGroup[]): Timing {
  const row = ({ model, protocol, counter }: RowGroup): Timing['rows'][number] => {
    return { model, protocol, figures: counter.times() }
  }
  return { rows: groups.map(row) }
}

const SPREAD = ['strict_parse_rate', 'parse_rate', 'clean_stop_rate', 'task_success'] as const

function sensitivityOf(rows: readonly SummaryRow[]): readonly Sensitivity[] {
  const models = [...new Set(rows.map(({ model }) => model))]
  return models.flatMap((model) =>
    SPREAD.flatMap((metric): readonly Sensitivity[] => {
      const known = rows
        .filter((row) => row.model === model)
        .flatMap(({ protocol, rates }) => {
          const { rate } = rates[metric]
          return rate === null ? [] : [{ protocol, rate }]
        })
        .sort((one, other) => other.rate - one.rate)
      const [best, worst] = [known[0], known.at(-1)]
      const deviation = sampleDeviation(known.map(({ rate }) => rate))
      if (best === undefined || worst === undefined || deviation === null) return []
      const maxDelta = best.rate - worst.rate
      return [{ model, metric, maxDelta, deviation, best: best.protocol, worst: worst.protocol }]
    }),
  )
}

/** Counts the episodes of every model and format, in the order in which they first appear. */
export function summarize(episodes: readonly EpisodeScore[]): readonly SummaryRow[] {
  const summarizer = createSummarizer({ run: factsOfEpisodes(episodes) })
  for (const episode of episodes) summarizer.add(episode)
  return summarizer.finish().rows
}

/** What episodes say about their run, for those that come without a manifest. */
export function factsOfEpisodes(episodes: readonly EpisodeScore[]): RunFacts {
  const keys = episodes.map(({ key }) => key)
  const samples = [...new Set(keys.map(({ sample }) => sample))]
  return {
    suite: { name: '', version: '', sha256: '', stored: '' },
    models: [...new Set(keys.map(({ model }) => model))],
    protocols: [...new Set(keys.map(({ protocol }) => protocol))],
    hosts: {},
    tasks: new Set(keys.map(({ task }) => task)).size,
    seed: samples.length === 0 ? 0 : Math.min(...samples),
    repeat: samples.length,
    shard: null,
    stops: 'on',
    api: 'chat',
    stream: true,
  }
}

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

/** The version before this one, in which retries and times were among what the replies decide. */
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
