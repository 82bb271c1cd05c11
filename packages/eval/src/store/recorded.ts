import { rowName } from '../trace/format-names.ts'
import type { Client } from '../client/client.ts'
import { CompletionError } from '../client/failure.ts'
import { requestHash } from '../client/request-hash.ts'
import { RunError } from '../trace/run-error.ts'
import type { CallLine, EpisodeKey, TurnLine } from '../trace/trace.ts'

/** What the journal holds of an episode that has not come to its end. */
export interface RecordedStart {
  readonly turns: readonly TurnLine[]
  readonly calls: readonly CallLine[]
  /** How many turns were played before it began anew; absent for none. */
  readonly superseded?: number
}

/**
 * A client that answers the first requests of an episode from the record and hands the others on: what was paid for is
 * never asked again.
 *
 * @throws RunError (in `complete`) when a request is not the recorded one
 */
export function recordedFirst(client: Client, key: EpisodeKey, turns: readonly TurnLine[]): Client {
  let next = 0
  return {
    ...client,
    complete: async (request, signal) => {
      const line = turns[next]
      next += 1
      if (line === undefined) return client.complete(request, signal)
      if (line.request !== requestHash(request))
        throw differs(key, `the prompt of turn ${line.turn} is another one now`)
      return outcomeOf(line)
    },
  }
}

/** The recorded call in the place of one that is made again. */
export function sameCall(recorded: CallLine, made: Pick<CallLine, 'name' | 'arguments'>): CallLine {
  if (recorded.name === made.name && recorded.arguments === made.arguments) return recorded
  throw differs(recorded, `turn ${recorded.turn} leads to another call now`)
}

function outcomeOf(line: TurnLine): Awaited<ReturnType<Client['complete']>> {
  const { id, text, reasoning, toolCalls, finishReason, usage, ms, cached, attempts, failure } = line
  if (failure !== null) return { kind: 'failed', error: new CompletionError(failure, { isRetryable: false }), attempts }
  const value = { id, text, reasoning, toolCalls, finishReason, usage, ms: ms ?? 0, cached, warnings: [] }
  return { kind: 'done', value, attempts }
}

function differs(key: EpisodeKey, what: string): RunError {
  return new RunError(
    `the run cannot go on: in ${rowName(key)} ${key.task} seed ${key.sample}, ${what}. ` +
      'Was it begun with another version of callspec? Use that one, or start a new run.',
  )
}
