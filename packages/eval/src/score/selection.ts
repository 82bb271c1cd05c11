import type { EpisodeScore, ScoredTurn } from './score-episode.ts'
import { rate } from '../statistics/rate.ts'
import type { Rate } from '../statistics/rate.ts'

/** How a protocol fares that asks for a call in parts: first its number, then its arguments. */
export interface Selection {
  /** Of the replies that were asked for a number: those that are one, -1 included. */
  readonly number: PartRate
  /** Of the replies that were asked for arguments: those that are an object for that tool. */
  readonly arguments: PartRate
  /** Of the episodes without an infrastructure error: those in which the model said -1, with repairs or without. */
  readonly saidEnd: Rate
}

/** A rate without repairs and with them. */
export interface PartRate {
  readonly strict: Rate
  readonly parse: Rate
}

/** The parts of all calls of some episodes; null where nothing was asked for in parts. */
export function selectionOf(episodes: readonly EpisodeScore[]): Selection | null {
  const turns = episodes.flatMap((episode) => episode.turns)
  if (turns.every((turn) => turn.asked === null)) return null
  const judged = episodes.filter((episode) => episode.end !== 'infra_error')
  const ended = judged.filter((episode) => episode.turns.some((turn) => turn.saysEnd))
  return {
    number: partRate(turns.filter((turn) => turn.asked === 'state')),
    arguments: partRate(turns.filter((turn) => turn.asked === 'arguments')),
    saidEnd: rate(ended.length, judged.length),
  }
}

function partRate(turns: readonly ScoredTurn[]): PartRate {
  // Whoever was not reached has said nothing.
  const replies = turns.filter((turn) => turn.strict !== 'infra_error')
  const strict = replies.filter(({ strict: label }) => label === 'well_formed' || label === 'final_answer').length
  const recovered = replies.filter(({ lenient }) => lenient === 'recovered').length
  return { strict: rate(strict, replies.length), parse: rate(strict + recovered, replies.length) }
}
