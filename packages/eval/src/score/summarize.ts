import { END_LABELS, TURN_LABELS } from '../labels.ts'
import type { EndLabel, TurnLabel } from '../labels.ts'
import type { Protocol } from '../protocol.ts'
import { REPAIRS } from './call-block.ts'
import type { Repair } from './call-block.ts'
import { ATTEMPTS } from './episode-rules.ts'
import type { EpisodeScore } from './score-episode.ts'
import { selectionOf } from './selection.ts'
import type { Selection } from './selection.ts'
import { rate } from '../statistics/rate.ts'
import type { Rate } from '../statistics/rate.ts'
import { histogram, mean } from '../statistics/tally.ts'

/** The scorer's version: it changes whenever the same trace may get another label. */
export const SCORER_VERSION = '1'

/** One row of the comparison: a model under a protocol. */
export interface SummaryRow {
  readonly model: string
  readonly protocol: Protocol
  readonly episodes: number
  readonly turns: number
  /** Of the turns in which a call was meant: those that need no repair. */
  readonly strictParse: Rate
  /** The same with repairs. */
  readonly parse: Rate
  /** Of the episodes without an infrastructure error: those that ended by themselves. */
  readonly cleanStop: Rate
  /** The same: clean stop and verdict. */
  readonly success: Rate
  readonly infraErrors: number
  /** Mean per episode. */
  readonly calls: number | null
  /** Mean per episode, prompt and completion; null when the server reports none. */
  readonly tokens: number | null
  readonly strict: Readonly<Partial<Record<TurnLabel, number>>>
  readonly lenient: Readonly<Partial<Record<TurnLabel, number>>>
  readonly ends: Readonly<Partial<Record<EndLabel, number>>>
  readonly repairs: Readonly<Partial<Record<Repair, number>>>
  /** Number and arguments apart, where a protocol asks for them one after the other; null elsewhere. */
  readonly selection: Selection | null
}

/** Counts the episodes of every model and protocol, in the order in which they first appear. */
export function summarize(episodes: readonly EpisodeScore[]): readonly SummaryRow[] {
  const groups = new Map<string, EpisodeScore[]>()
  for (const episode of episodes) {
    const key = JSON.stringify([episode.key.model, episode.key.protocol])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [episode])
    else group.push(episode)
  }
  return [...groups.values()].flatMap((group) => (group[0] === undefined ? [] : [row(group[0].key, group)]))
}

function row({ model, protocol }: EpisodeScore['key'], episodes: readonly EpisodeScore[]): SummaryRow {
  const turns = episodes.flatMap((episode) => episode.turns)
  const attempts = turns.filter((turn) => ATTEMPTS.has(turn.strict) || ATTEMPTS.has(turn.lenient))
  const strictOk = attempts.filter((turn) => turn.strict === 'well_formed').length
  const recovered = attempts.filter((turn) => turn.strict !== 'well_formed' && turn.lenient === 'recovered').length
  const judged = episodes.filter((episode) => episode.end !== 'infra_error')
  const tokens = judged.map((episode) => episode.tokens)
  return {
    model,
    protocol,
    episodes: episodes.length,
    turns: turns.length,
    strictParse: rate(strictOk, attempts.length),
    parse: rate(strictOk + recovered, attempts.length),
    cleanStop: rate(judged.filter((episode) => episode.cleanStop).length, judged.length),
    success: rate(judged.filter((episode) => episode.success).length, judged.length),
    infraErrors: episodes.length - judged.length,
    calls: mean(judged.map((episode) => episode.calls)),
    tokens: tokens.includes(null) ? null : mean(tokens.filter((count) => count !== null)),
    strict: histogram(
      turns.map((turn) => turn.strict),
      TURN_LABELS,
    ),
    lenient: histogram(
      turns.map((turn) => turn.lenient),
      TURN_LABELS,
    ),
    ends: histogram(
      episodes.map((episode) => episode.end),
      END_LABELS,
    ),
    repairs: histogram(
      turns.flatMap((turn) => turn.repairs),
      REPAIRS,
    ),
    selection: selectionOf(episodes),
  }
}
