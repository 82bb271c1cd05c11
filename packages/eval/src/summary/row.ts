import { END_LABELS, TURN_FLAGS, TURN_LABELS } from '@callspec/labels'
import type { EndLabel, TurnFlag, TurnLabel } from '@callspec/labels'
import type { Finish } from '../trace/finish-reason.ts'
import type { Protocol } from '../trace/protocol.ts'
import { REPAIRS } from '../reading/call-block.ts'
import type { Repair } from '../reading/call-block.ts'
import type { EpisodeScore } from '../judging/score-episode.ts'
import { clusterBootstrap } from '../statistics/bootstrap.ts'
import type { Counts } from '../statistics/counts.ts'
import { passAt } from '../statistics/pass-k.ts'
import type { PassAt, Tries } from '../statistics/pass-k.ts'
import type { Rate } from '../statistics/rate.ts'
import { addTo, inOrder } from '../statistics/tally.ts'
import { createAlikeTries } from './alike.ts'
import { createBlame } from './causes.ts'
import type { Blame } from './causes.ts'
import { addSamples, emptySamples, figuresOf, timesOf } from '../metrics/figures.ts'
import type { FigureName, Price, Times } from '../metrics/figures.ts'
import { rateOf, ratesOf } from '../metrics/rates.ts'
import type { RateName } from '../metrics/rates.ts'
import { createSelection } from './selection.ts'
import type { Selection } from './selection.ts'
import { addEpisode, emptyTally } from '../metrics/tally.ts'
import type { Tally } from '../metrics/tally.ts'

/** One row of the comparison: a model under a protocol. */
export interface SummaryRow {
  readonly model: string
  readonly protocol: Protocol
  readonly episodes: number
  /** Episodes that failed on the way to the server; left out of all rates but `infra_rate`. */
  readonly infra: number
  /** Turns with a reply, and those of them from a cache. */
  readonly turns: number
  readonly cachedTurns: number
  readonly rates: Readonly<Record<RateName, Rate>>
  readonly figures: Readonly<Record<FigureName, number | null>>
  readonly strict: Counts<TurnLabel>
  readonly lenient: Counts<TurnLabel>
  readonly ends: Counts<EndLabel>
  readonly repairs: Counts<Repair>
  /** What was wrong with arguments, of the turns labelled `bad_args_schema`. */
  readonly argumentReasons: Counts
  readonly flags: Counts<TurnFlag>
  readonly finish: Counts<Finish>
  /** What was odd about replies, as short codes. */
  readonly oddities: Counts
  /** Why verdicts failed. */
  readonly reasons: Counts
  /** First replies: whether a call was due, and whether one was meant. */
  readonly trigger: { readonly tp: number; readonly fp: number; readonly fn: number; readonly tn: number }
  /** Whether all tries of every task replied alike: rates and pass^k then count them as one. Absent in earlier versions. */
  readonly alike?: boolean
  /** pass^k and pass@k, for every k up to the number of tries per task. */
  readonly passAt: readonly PassAt[]
  /** 95 % of `task_success` with whole tasks drawn; null where every task was tried once, or too few tasks were. */
  readonly successByTask: readonly [number, number] | null
  /** Who is to blame for what failed, and why. */
  readonly blame: Blame
  readonly groups: readonly GroupRow[]
  /** Number and arguments apart, where a protocol asks for them one after the other; null elsewhere. */
  readonly selection: Selection | null
}

/** The rates that are given per category and language. */
export type GroupRate = 'strict_parse_rate' | 'parse_rate' | 'clean_stop_rate' | 'task_success'

const GROUP_RATES: readonly GroupRate[] = ['strict_parse_rate', 'parse_rate', 'clean_stop_rate', 'task_success']

/** The episodes of one category or language. */
export interface GroupRow {
  readonly by: 'category' | 'lang'
  readonly name: string
  readonly episodes: number
  readonly rates: Readonly<Record<GroupRate, Rate>>
}

/** Counts the episodes of one model under one protocol. */
export interface RowCounter {
  add(score: EpisodeScore): void
  row(price: Price | null): SummaryRow
  times(): Times
  /** With a reply. */
  turns(): number
  /** Turns with a reply that took more than one attempt. */
  retriedTurns(): number
  /** What a task came to so far. */
  task(id: string): TaskCell
}

/** One task of one row. */
export interface TaskCell {
  readonly passed: number
  /** Without those that failed on the way to the server. */
  readonly of: number
  readonly infra: number
}

const NO_TRIES: TaskCell = { passed: 0, of: 0, infra: 0 }

/** A counter that keeps a few numbers per episode and per reply, and nothing of their text. */
export function createRowCounter(model: string, protocol: Protocol): RowCounter {
  const tally = emptyTally()
  const samples = emptySamples()
  const names = createNameCounts()
  const selection = createSelection()
  const blame = createBlame()
  const alike = createAlikeTries()
  const tasks = new Map<string, TaskCell>()
  const groups = new Map<string, { readonly by: GroupRow['by']; readonly name: string; readonly tally: Tally }>()
  const group = (by: GroupRow['by'], name: string): Tally => {
    const key = `${by} ${name}`
    const known = groups.get(key) ?? { by, name, tally: emptyTally() }
    groups.set(key, known)
    return known.tally
  }
  return {
    add: (score) => {
      for (const each of [tally, group('category', score.category), group('lang', score.lang)]) addEpisode(each, score)
      addSamples(samples, score)
      names.add(score)
      selection.add(score)
      blame.add(score)
      alike.add(score)
      tasks.set(score.key.task, withEpisode(tasks.get(score.key.task) ?? NO_TRIES, score))
    },
    row: (price) => {
      const { episodes, infra, turns, cachedTurns, tp, fp, fn, tn } = tally
      const isAlike = alike.isAlike()
      const tried = [...tasks.values()].filter(({ of }) => of > 0)
      const tries = isAlike ? tried.map(({ passed }) => ({ passed: Math.min(1, passed), of: 1 })) : tried
      const rates = ratesOf(isAlike ? alike.firstTries() : tally)
      return {
        ...{ model, protocol, episodes, infra, turns, cachedTurns },
        rates: { ...rates, infra_rate: rateOf('infra_rate', tally) },
        figures: figuresOf(tally, samples, price),
        ...names.counts(),
        trigger: { tp, fp, fn, tn },
        alike: isAlike,
        passAt: passAt(tries),
        successByTask: successByTask(tries),
        blame: blame.result(),
        groups: [...groups.values()].map(groupRow),
        selection: selection.result(),
      }
    },
    times: () => timesOf(samples),
    turns: () => tally.turns,
    retriedTurns: () => tally.retriedTurns,
    task: (id) => tasks.get(id) ?? NO_TRIES,
  }
}

type NameCounts = Pick<
  SummaryRow,
  'strict' | 'lenient' | 'ends' | 'repairs' | 'argumentReasons' | 'flags' | 'finish' | 'oddities' | 'reasons'
>

function createNameCounts(): { add(score: EpisodeScore): void; counts(): NameCounts } {
  const strict = new Map<TurnLabel, number>()
  const lenient = new Map<TurnLabel, number>()
  const ends = new Map<EndLabel, number>()
  const repairs = new Map<Repair, number>()
  const argumentReasons = new Map<string, number>()
  const flags = new Map<TurnFlag, number>()
  const finish = new Map<Finish, number>()
  const oddities = new Map<string, number>()
  const reasons = new Map<string, number>()
  return {
    add: ({ turns, end, pass, reasons: why }) => {
      addTo(ends, end)
      if (end !== 'infra_error' && !pass) for (const reason of why) addTo(reasons, reason)
      for (const turn of turns) {
        addTo(strict, turn.strict)
        addTo(lenient, turn.lenient)
        if (turn.strict !== 'infra_error') addTo(finish, turn.finish)
        for (const repair of turn.repairs) addTo(repairs, repair)
        for (const reason of turn.reasons) addTo(argumentReasons, reason)
        for (const flag of turn.flags) addTo(flags, flag)
        for (const warning of turn.warnings) addTo(oddities, warning)
      }
    },
    counts: () => ({
      strict: inOrder(strict, TURN_LABELS),
      lenient: inOrder(lenient, TURN_LABELS),
      ends: inOrder(ends, END_LABELS),
      repairs: inOrder(repairs, REPAIRS),
      argumentReasons: byCount(argumentReasons),
      flags: inOrder(flags, TURN_FLAGS),
      finish: inOrder(finish, FINISHES),
      oddities: byCount(oddities),
      reasons: byCount(reasons),
    }),
  }
}

const FINISHES: readonly Finish[] = ['stop', 'length', 'tool_calls', 'content_filter', 'unknown']

/** Most frequent first, then by name, so that the order of episodes does not show. */
function byCount(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))
}

function withEpisode(cell: TaskCell, { end, success }: EpisodeScore): TaskCell {
  if (end === 'infra_error') return { ...cell, infra: cell.infra + 1 }
  return { ...cell, passed: cell.passed + (success ? 1 : 0), of: cell.of + 1 }
}

/** With fewer tasks, drawing them would say more than anybody can know. */
const FEWEST_TASKS = 5

/** Tries of one task are not independent: with several per task, Wilson's interval is too narrow. */
function successByTask(tries: readonly Tries[]): readonly [number, number] | null {
  if (tries.length < FEWEST_TASKS || tries.every(({ of }) => of < 2)) return null
  const share = ({ 0: passed = 0, 1: of = 0 }: ArrayLike<number>): number | null => (of === 0 ? null : passed / of)
  const found = clusterBootstrap(
    tries.map(({ passed, of }) => [passed, of]),
    share,
  )
  return found?.interval ?? null
}

function groupRow({
  by,
  name,
  tally,
}: {
  readonly by: GroupRow['by']
  readonly name: string
  readonly tally: Tally
}): GroupRow {
  const rates = Object.fromEntries(GROUP_RATES.map((rate) => [rate, rateOf(rate, tally)])) as GroupRow['rates']
  return { by, name, episodes: tally.episodes, rates }
}
