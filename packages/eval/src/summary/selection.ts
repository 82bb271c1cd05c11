import type { EpisodeScore } from '../judging/score-episode.ts'
import type { ScoredTurn } from '../score/scored-turn.ts'
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

/** Counts the parts of calls. */
export function createSelection(): { add(score: EpisodeScore): void; result(): Selection | null } {
  const counts = { number: emptyPart(), arguments: emptyPart() }
  let [isAsked, judged, ended] = [false, 0, 0]
  return {
    add: ({ turns, end }) => {
      if (turns.some(({ asked }) => asked !== null)) isAsked = true
      if (end !== 'infra_error') {
        judged += 1
        if (turns.some(({ saysEnd }) => saysEnd)) ended += 1
      }
      for (const turn of turns) {
        if (turn.asked === 'state') addPart(counts.number, turn)
        if (turn.asked === 'arguments') addPart(counts.arguments, turn)
      }
    },
    result: () =>
      isAsked
        ? { number: rates(counts.number), arguments: rates(counts.arguments), saidEnd: rate(ended, judged) }
        : null,
  }
}

interface PartCount {
  replies: number
  strict: number
  recovered: number
}

function emptyPart(): PartCount {
  return { replies: 0, strict: 0, recovered: 0 }
}

function addPart(count: PartCount, { strict, lenient }: ScoredTurn): void {
  // Whoever was not reached has said nothing.
  if (strict === 'infra_error') return
  count.replies += 1
  if (strict === 'well_formed' || strict === 'final_answer') count.strict += 1
  if (lenient === 'recovered') count.recovered += 1
}

function rates({ replies, strict, recovered }: PartCount): PartRate {
  return { strict: rate(strict, replies), parse: rate(strict + recovered, replies) }
}
