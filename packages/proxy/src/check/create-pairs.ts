import { sha256 } from '@callspec/eval/reply-parts'
import type { RecordedExchange } from '../read/recorded-exchange.ts'
import type { TrafficFinding } from './check-exchange.ts'
import type { Question } from './read-question.ts'
import type { ReadReply } from './read-reply.ts'

/** Holds whole and streamed replies to the same request against each other. */
export interface Pairs {
  /** Null where there is nothing to compare with, or nothing wrong. */
  add(exchange: RecordedExchange, reply: ReadReply, question: Question | null): Difference | null
  /** How many requests were answered both ways. */
  compared(): number
}

/** A stream and a whole reply to the same request, which differ. */
export interface Difference {
  readonly finding: TrafficFinding
  /** The reply that had come before; null where there was no room to keep it. */
  readonly other: ReadReply | null
}

/** Of further requests nothing is remembered. */
const MOST_REQUESTS = 100_000
/** Of replies as they came; what is read of them takes some times the room. */
const MOST_KEPT_BYTES = 16_000_000

interface Sides {
  /** The first reply of all. */
  readonly first: ReadReply | null

  readonly whole: Set<string>
  readonly streamed: Set<string>
  isTold: boolean
}

/** A request whose whole replies differ among themselves, or its streams, proves nothing. */
export function createPairs(): Pairs {
  const asked = new Map<string, Sides>()
  let keptBytes = 0
  return {
    add: (exchange, reply, question) => {
      const { isStream, said, error } = reply
      const key = question?.key ?? null
      if (key === null || exchange.how !== 'complete' || exchange.lacks !== null || error !== null) return null
      const known = asked.get(key)
      const size = exchange.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const first = keptBytes + size > MOST_KEPT_BYTES ? null : reply
      const sides = known ?? { first, whole: new Set(), streamed: new Set(), isTold: false }
      if (known === undefined && asked.size < MOST_REQUESTS) {
        asked.set(key, sides)
        if (first !== null) keptBytes += size
      }
      const calls = said.toolCalls.map(({ name, arguments: args }) => [name, args])
      sides[isStream ? 'streamed' : 'whole'].add(sha256(JSON.stringify([said.text, said.reasoning, calls])))
      const [[one], [other]] = [[...sides.whole], [...sides.streamed]]
      const isClear = sides.whole.size === 1 && sides.streamed.size === 1 && one !== other
      if (!isClear || sides.isTold) return null
      sides.isTold = true
      const evidence = `this ${isStream ? 'stream' : 'whole reply'} says ${JSON.stringify(said.text.slice(0, 80))} and makes ${calls.length} calls`
      const kept = sides.first?.isStream === isStream ? null : sides.first
      return { finding: { check: 'stream-differs', weight: 'broken', evidence, times: 1, formats: [] }, other: kept }
    },
    compared: () => [...asked.values()].filter(({ whole, streamed }) => whole.size > 0 && streamed.size > 0).length,
  }
}
