import { halfWidth } from '../statistics/rate.ts'
import { plural } from '../text/plural.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { SummaryRow } from './row.ts'

/** What a reader should know before believing a figure. */
export interface Warning {
  readonly code: WarningCode
  /** One sentence. */
  readonly text: string
}

/** What a warning is about. */
export type WarningCode =
  | 'edited'
  | 'no-check-sums'
  | 'small-sample'
  | 'tries-per-task'
  | 'tries-alike'
  | 'infra-errors'
  | 'setup'
  | 'cache-hits'
  | 'retries'
  | 'endpoints-differ'
  | 'unparsed-output'
  | 'stops-off'
  | 'unknown-tokens'
  | 'part-of-a-run'

/** The warnings of a run that its replies give reason for, most important first. */
export function warningsOf(rows: readonly SummaryRow[], run: RunFacts): readonly Warning[] {
  const sum = (count: (row: SummaryRow) => number): number => rows.reduce((total, row) => total + count(row), 0)
  const infra = sum((row) => row.infra)
  const episodes = sum((row) => row.episodes)
  const turns = sum((row) => row.turns)
  const cached = sum((row) => row.cachedTurns)
  const unparsed = rows
    .flatMap(({ blame }) => blame.causes)
    .reduce((total, { rule, turns: failed }) => (rule === 'unparsed-output' ? total + failed : total), 0)
  const silent = rows.filter(
    ({ figures, turns: replies, cachedTurns }) => replies > cachedTurns && figures.tokens_per_episode === null,
  )
  const { edited = [], isUnsealed = false } = run
  const found: readonly (Warning | null)[] = [
    when(
      edited.length > 0,
      'edited',
      `The files of this run were changed by hand, and that was accepted: ${edited.slice(0, 3).join('; ')}${edited.length > 3 ? `; and ${edited.length - 3} more` : ''}.`,
    ),
    when(isUnsealed, 'no-check-sums', NO_SUMS),
    when(
      infra > 0,
      'infra-errors',
      `${infra} of ${plural(episodes, 'episode')} failed on the way to the server and are left out.`,
    ),
    ourOwnDoing(rows),
    when(run.shard !== null, 'part-of-a-run', 'This is a part of a run: merge all parts before you compare.'),
    smallSample(rows),
    when(
      run.repeat > 1 && rows.some(({ successByTask }) => successByTask !== null),
      'tries-per-task',
      'Several tries of one task are not independent: successByTask draws whole tasks, the intervals of rates do not.',
    ),
    triesAlike(rows),
    when(
      run.stops === 'off',
      'stops-off',
      'Stop words were not sent: invented results show what the model tends to, not what a server lets through.',
    ),
    when(
      cached > 0,
      'cache-hits',
      `${cached} of ${plural(turns, 'reply', 'replies')} came from the cache; they count neither as time nor as tokens.`,
    ),
    when(
      unparsed > 0,
      'unparsed-output',
      `The server answered ${unparsed} of ${plural(turns, 'reply', 'replies')} with an error because its own parser could not read them: another tool parser might.`,
    ),
    when(
      silent.length > 0,
      'unknown-tokens',
      `The server does not report all tokens (${silent.map(({ model, protocol }) => `${model} ${protocol}`).join(', ')}).`,
    ),
  ]
  return found.filter((warning) => warning !== null)
}

const NO_SUMS = 'This run is from before its files carried check sums: whether somebody changed them cannot be told.'

/** What our own settings broke says nothing about a model. */
function ourOwnDoing(rows: readonly SummaryRow[]): Warning | null {
  const causes = rows.flatMap(({ blame }) => blame.causes.filter(({ blames }) => blames === 'setup'))
  const turns = causes.reduce((total, cause) => total + cause.turns, 0)
  const [first] = causes
  return first === undefined
    ? null
    : when(
        turns > 0,
        'setup',
        `The settings of this run, not the model, broke ${plural(turns, 'reply', 'replies')}: ${first.example}.`,
      )
}

/** Temperature 0, a cache, or a server that ignores the seed. */
function triesAlike(rows: readonly SummaryRow[]): Warning | null {
  const alike = rows.filter((row) => row.alike === true).map(({ model, protocol }) => `${model} ${protocol}`)
  const where = alike.length === rows.length ? '' : ` (${alike.join(', ')})`
  return when(
    alike.length > 0,
    'tries-alike',
    `All tries of a task reply alike and count as one${where}: more tasks say more, more seeds do not.`,
  )
}

/** Beyond this many points of uncertainty a rate is worth a warning. */
const WIDE = 0.05

function smallSample(rows: readonly SummaryRow[]): Warning | null {
  const widest = rows
    .map(({ rates }) => ({ n: rates.task_success.of, half: halfWidth(rates.task_success.interval) ?? 1 }))
    .reduce((most, each) => (each.half > most.half ? each : most), { n: 0, half: 0 })
  return when(
    widest.half > WIDE,
    'small-sample',
    `n too small to tell apart rates that differ by less than ${Math.ceil(widest.half * 100)} points (n = ${widest.n}).`,
  )
}

function when(holds: boolean, code: WarningCode, text: string): Warning | null {
  return holds ? { code, text } : null
}
