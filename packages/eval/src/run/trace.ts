import type { Failure } from '../client/failure.ts'
import type { Usage } from '../client/client.ts'
import type { Protocol } from '../protocol.ts'
import type { TurnQuestion } from '../protocols/question.ts'

/** Which episode a line belongs to. `sample` is the seed that was sent: base seed plus repeat. */
export interface EpisodeKey {
  readonly model: string
  readonly protocol: Protocol
  readonly task: string
  readonly sample: number
}

/** One completion, or the failure to get one. Written before anything is done with it. */
export interface TurnLine extends EpisodeKey {
  readonly kind: 'turn'
  readonly turn: number
  readonly id: string
  readonly text: string
  readonly reasoning: string
  readonly finishReason: string | null
  readonly usage: Usage | null
  readonly failure: Failure | null
  /** What the reply was asked for; absent where every reply may be anything. */
  readonly question?: TurnQuestion
  readonly attempts: number
  /** Milliseconds from request to the end of the reply, retries included. */
  readonly ms: number
}

/** One call that the host made for a turn. */
export interface CallLine extends EpisodeKey {
  readonly kind: 'call'
  readonly turn: number
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
  readonly result: string
  readonly isError: boolean
}

/**
 * Why the host stopped. `raised`: the reference's host breaks here; `guard`: the runner saw a loop and stopped it;
 * `limit`: the calls of the model were used up.
 */
export type StopReason = 'answered' | 'limit' | 'raised' | 'guard'

/** How an episode ended: the last of its lines. */
export interface EndLine extends EpisodeKey {
  readonly kind: 'end'
  readonly reason: StopReason
  /** What the reference raised; null otherwise. */
  readonly error: string | null
}

/** One line of `turns.jsonl`. */
export type TraceLine = TurnLine | CallLine | EndLine

/** Everything that was written down about one episode. Scorers see this and nothing else. */
export interface EpisodeTrace {
  readonly key: EpisodeKey
  readonly turns: readonly TurnLine[]
  readonly calls: readonly CallLine[]
  readonly end: EndLine
}

/** One text per episode. */
export function keyText({ model, protocol, task, sample }: EpisodeKey): string {
  return JSON.stringify([model, protocol, task, sample])
}
