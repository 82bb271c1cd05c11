import { compareRows } from '../paired/compare-rows.ts'
import { createOutcomeStore, outcomeOf } from '../paired/outcome.ts'
import type { EpisodeOutcome, OutcomeStore } from '../paired/outcome.ts'
import { SCORER_VERSION } from '../score/scorer-version.ts'
import { sampleDeviation } from '../statistics/tally.ts'
import { SUMMARY_SCHEMA } from './eval-summary.ts'
import type { EvalSummary, GridTask, LedgerAgreement, Sensitivity } from './eval-summary.ts'
import { createRowCounter } from './row.ts'
import type { RowCounter, SummaryRow } from './row.ts'
import { createTransportCounter } from './transport-counter.ts'
import type { TransportFacts } from './transport-counter.ts'
import { warningsOf } from './warnings.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { EpisodeScore } from '../judging/score-episode.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { Price } from '../metrics/figures.ts'
import type { Timing, Transport } from './transport.ts'

/** Sums a run up while it goes on. */
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
  /** What no reply tells of how they were got. */
  readonly transport?: TransportFacts
}

/** What a summary is made with. */
export interface SummarizerOptions {
  readonly run: RunFacts
  /** By model. A model without a price has an unknown cost. */
  readonly prices?: Readonly<Record<string, Price>>
}

interface Group {
  readonly model: string
  readonly protocol: FormatName
  readonly counter: RowCounter
  readonly outcomes: OutcomeStore
}

/** A summary that grows with every episode. Keeps about a hundred bytes per episode and 16 per reply. */
export function createSummarizer({ run, prices = {} }: SummarizerOptions): Summarizer {
  const groups = new Map<string, Group>()
  const tasks = new Map<string, Pick<GridTask, 'category' | 'lang'>>()
  const transport = createTransportCounter()
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
      group.outcomes.add(outcomeOf(score))
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

/** In the order of the summary's rows. */
function transportRows(groups: readonly Group[]): Transport['rows'] {
  return groups.map(({ model, protocol, counter }) => ({ model, protocol, retriedTurns: counter.retriedTurns() }))
}

function timingOf(groups: readonly Group[]): Timing {
  const row = ({ model, protocol, counter }: Group): Timing['rows'][number] => {
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
  const summarizer = createSummarizer({ run: factsOf(episodes) })
  for (const episode of episodes) summarizer.add(episode)
  return summarizer.finish().rows
}

/** What episodes say about their run, for those that come without a manifest. */
export function factsOf(episodes: readonly EpisodeScore[]): RunFacts {
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
