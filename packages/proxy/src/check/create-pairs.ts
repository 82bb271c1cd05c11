import { sha256 } from '@callspec/eval/reply-parts'
import type { RecordedExchange } from '../read/recorded-exchange.ts'
import type { TrafficFinding } from './check-exchange.ts'
import type { Question } from './read-question.ts'
import type { ReadReply } from './read-reply.ts'

/** Holds whole and streamed replies to the same request against each other. */
export interface Pairs {
  /** Null where there is nothing to compare with, or nothing wrong. */
  add(exchange: RecordedExchange, reply: ReadReply, question: Question | null): TrafficFinding | null
  /** How many requests were answered both ways. */
  compared(): number
}

/** Of further requests nothing is remembered. */
const MOST_REQUESTS = 100_000

interface Sides {
  readonly whole: Set<string>
  readonly streamed: Set<string>
  isTold: boolean
}

/** A request whose whole replies differ among themselves, or its streams, proves nothing. */
export function createPairs(): Pairs {
  const asked = new Map<string, Sides>()
  return {
    add: (exchange, { isStream, said, error }, question) => {
      const key = question?.key ?? null
      if (key === null || exchange.how !== 'complete' || exchange.lacks !== null || error !== null) return null
      const sides = asked.get(key) ?? { whole: new Set(), streamed: new Set(), isTold: false }
      if (asked.size < MOST_REQUESTS) asked.set(key, sides)
      const calls = said.toolCalls.map(({ name, arguments: args }) => [name, args])
      sides[isStream ? 'streamed' : 'whole'].add(sha256(JSON.stringify([said.text, said.reasoning, calls])))
      const [[one], [other]] = [[...sides.whole], [...sides.streamed]]
      const isClear = sides.whole.size === 1 && sides.streamed.size === 1 && one !== other
      if (!isClear || sides.isTold) return null
      sides.isTold = true
      const evidence = `this ${isStream ? 'stream' : 'whole reply'} says ${JSON.stringify(said.text.slice(0, 80))} and makes ${calls.length} calls`
      return { check: 'stream-differs', weight: 'broken', evidence, times: 1, formats: [] }
    },
    compared: () => [...asked.values()].filter(({ whole, streamed }) => whole.size > 0 && streamed.size > 0).length,
  }
}
