import type { FormatName } from '../trace/format-names.ts'
import { formatId, rowName } from '../trace/format-names.ts'
import { plural } from '../text/text.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { SummaryRow } from './row.ts'
import type { LedgerRow } from '@callspec/labels'
import type { EpisodeKey } from '../trace/trace.ts'

/** What a reader should know before believing a figure. */
export interface Warning {
  readonly code: WarningCode
  readonly text: string
  /** What the sentence counts, names or quotes, in its order, for sentences in other languages. Absent in older summaries. */
  readonly values?: readonly (string | number)[]
}

/** What a warning is about. */
export type WarningCode =
  | 'edited'
  | 'no-check-sums'
  | 'formats-mixed-up'
  | 'intervals-of-tries'
  | 'tries-alike'
  | 'infra-errors'
  | 'setup'
  | 'cache-hits'
  | 'retries'
  | 'endpoints-differ'
  | 'unparsed-output'
  | 'stops-off'
  | 'unknown-tokens'
  | 'counts-doubted'
  | 'part-of-a-run'

/** The warnings of a run that its replies, and what simulated models meant by them, give reason for; most important first. */
export function warningsOf(
  rows: readonly SummaryRow[],
  run: RunFacts,
  ledger: WithMixUps | null = null,
): readonly Warning[] {
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
  const doubted = rows.filter(({ blame }) => (blame.counts?.doubted ?? []).length > 0)
  const found: readonly (Warning | null)[] = [
    changedByHand(run),
    when(run.isUnsealed === true, NO_CHECK_SUMS),
    formatsMixedUp(ledger),
    when(infra > 0, {
      code: 'infra-errors',
      text: `${infra} of ${plural(episodes, 'episode')} failed on the way to the server and are left out.`,
      values: [infra, episodes],
    }),
    ourOwnDoing(rows),
    when(run.shard !== null, {
      code: 'part-of-a-run',
      text: 'This is a part of a run: merge all parts before you compare.',
    }),
    triesAlike(rows),
    when(run.stops === 'off', {
      code: 'stops-off',
      text: 'Stop words were not sent: invented results show what the model tends to, not what a server lets through.',
    }),
    when(cached > 0, {
      code: 'cache-hits',
      text: `${cached} of ${plural(turns, 'reply', 'replies')} came from the cache; they count neither as time nor as tokens.`,
      values: [cached, turns],
    }),
    when(unparsed > 0, {
      code: 'unparsed-output',
      text: `The server answered ${unparsed} of ${plural(turns, 'reply', 'replies')} with an error because its own parser could not read them: another tool parser might.`,
      values: [unparsed, turns],
    }),
    when(silent.length > 0, {
      code: 'unknown-tokens',
      text: `The server does not report all tokens (${rowNames(silent)}).`,
      values: [rowNames(silent)],
    }),
    when(doubted.length > 0, {
      code: 'counts-doubted',
      text: `Usage looks made up, or holds hidden thoughts (${rowNames(doubted)}): its counts blame no server.`,
      values: [rowNames(doubted)],
    }),
  ]
  return found.filter((warning) => warning !== null)
}

function changedByHand({ edited = [] }: RunFacts): Warning | null {
  return when(edited.length > 0, {
    code: 'edited',
    text: `The files of this run were changed by hand, and that was accepted: ${firstEdit(edited)}.`,
    values: [edited.slice(0, 3).join('; '), edited.length],
  })
}

/** The warning of a run from before all of its files had check sums. */
export const NO_CHECK_SUMS: Warning = {
  code: 'no-check-sums',
  text: 'The files of this run have no check sums, so changes by hand cannot be detected.',
}

/** A model sees only the request: if two formats begin with the same prompt, it cannot know which one is meant. */
function formatsMixedUp(ledger: WithMixUps | null): Warning | null {
  const mixedUp = ledger?.mixedUp ?? []
  const replies = mixedUp.reduce((sum, each) => sum + each.replies, 0)
  const asked = [...new Set(mixedUp.map(({ protocol }) => formatId(protocol)))].join(', ')
  const others = [...new Set(mixedUp.map(({ takenFor }) => formatId(takenFor)))].join(', ')
  return when(mixedUp.length > 0, {
    code: 'formats-mixed-up',
    text: `Simulated models see only the request, and the first prompts are the same: ${mixedUpText({ mixedUp })} in ${plural(replies, 'reply', 'replies')}. What is measured of ${asked} here says nothing; run it without ${others}.`,
    values: [asked, others, replies],
  })
}

/** What our own settings broke says nothing about a model. */
function ourOwnDoing(rows: readonly SummaryRow[]): Warning | null {
  const causes = rows.flatMap(({ blame }) => blame.causes.filter(({ blames }) => blames === 'setup'))
  const turns = causes.reduce((total, cause) => total + cause.turns, 0)
  const episodes = causes.reduce((total, cause) => total + cause.episodes, 0)
  const [first] = causes
  if (first === undefined) return null
  const broke = turns > 0 ? plural(turns, 'reply', 'replies') : plural(episodes, 'episode')
  return when(turns + episodes > 0, {
    code: 'setup',
    text: `The settings of this run, not the model, broke ${broke}: ${first.example}.`,
    values: [turns > 0 ? turns : episodes, first.example, turns > 0 ? 'replies' : 'episodes'],
  })
}

/** Temperature 0, a cache, or a server that ignores the seed. */
function triesAlike(rows: readonly SummaryRow[]): Warning | null {
  const alike = rows.filter((row) => row.alike === true)
  const where = alike.length === rows.length ? '' : rowNames(alike)
  return when(alike.length > 0, {
    code: 'tries-alike',
    text: `Repeats gave identical replies and count once${where === '' ? '' : ` (${where})`}. Add tasks, not seeds.`,
    values: [where],
  })
}

/** Of a summary from before intervals were made by task. */
export const INTERVALS_OF_TRIES: Warning = {
  code: 'intervals-of-tries',
  text: 'The intervals of this run are from an earlier version, which took tries of one task as independent: they may be too narrow. callspec rescore makes them by task.',
  values: [],
}

function when(holds: boolean, warning: Warning): Warning | null {
  return holds ? { values: [], ...warning } : null
}

function rowNames(rows: readonly SummaryRow[]): string {
  return rows.map(rowName).join(', ')
}

function firstEdit(edits: readonly string[]): string {
  return `${edits.slice(0, 3).join('; ')}${edits.length > 3 ? `; and ${edits.length - 3} more` : ''}`
}

/** A format whose first prompt is also that of another one: a model that sees only the request may answer in either. */
export interface MixedUp {
  readonly model: string
  readonly protocol: FormatName
  /** The format in which it was answered. */
  readonly takenFor: string
  readonly replies: number
}

/** Has them where there are some. */
export interface WithMixUps {
  readonly mixedUp?: readonly MixedUp[]
}

/** Counts replies that were given in another format than was asked for, and so were measured otherwise than made. */
export interface MixUps {
  add(asked: EpisodeKey, given: LedgerRow): void
  /** What was counted, in the order in which it came; nothing where nothing was. */
  found(): WithMixUps
}

/** Nothing is counted yet. */
export function createMixUps(): MixUps {
  const all = new Map<string, MixedUp>()
  return {
    add: ({ model, protocol }, { protocol: takenFor }) => {
      if (takenFor === protocol) return
      const key = JSON.stringify([model, protocol, takenFor])
      const replies = (all.get(key)?.replies ?? 0) + 1
      all.set(key, { model, protocol, takenFor, replies })
    },
    found: () => (all.size === 0 ? {} : { mixedUp: [...all.values()] }),
  }
}

/** `mistral-v11 was taken for mistral-v3`, once for all models; empty for nothing. */
export function mixedUpText({ mixedUp = [] }: WithMixUps): string {
  return [
    ...new Set(mixedUp.map(({ protocol, takenFor }) => `${formatId(protocol)} was taken for ${formatId(takenFor)}`)),
  ].join(', ')
}
