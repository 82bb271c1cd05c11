import { quantile } from '../statistics/normal.ts'
import type { Usage } from '../trace/completion.ts'
import type { TriedEndpoint } from '../trace/trace.ts'

/** What one endpoint of several did. */
export interface EndpointRow {
  /** Its address without secrets. */
  readonly endpoint: string
  /** Attempts, and those of them without a reply. */
  readonly requests: number
  readonly errors: number
  /** Tokens of replies. */
  readonly tokens: number
  /** The same over the seconds that these took, each by itself; null where the server counts none. */
  readonly tokensPerSecond: number | null
  /** Milliseconds per reply; null for no reply. */
  readonly p50: number | null
  readonly p95: number | null
}

/** What counts of a turn, from the journal or scored. */
export interface EndpointTurn {
  readonly endpoint?: string
  readonly tried?: readonly TriedEndpoint[]
  readonly attempts: number
  readonly ms: number | null
  readonly usage: Usage | null
}

/** Counts what endpoints did, turn by turn. */
export interface EndpointCounts {
  /** @param isAnswered whether there was a reply */
  add(turn: EndpointTurn, isAnswered: boolean): void
  /** By name. */
  rows(): readonly EndpointRow[]
}

interface Counted {
  requests: number
  errors: number
  tokens: number
  ms: number
  readonly times: number[]
}

/** @param most of so many times the last ones are kept; default: all */
export function createEndpointCounts(most: number = Infinity): EndpointCounts {
  const endpoints = new Map<string, Counted>()
  const of = (name: string): Counted => {
    const known = endpoints.get(name) ?? { requests: 0, errors: 0, tokens: 0, ms: 0, times: [] }
    endpoints.set(name, known)
    return known
  }
  return {
    add: ({ endpoint, tried = [], attempts, ms, usage }, isAnswered) => {
      for (const each of tried) {
        const before = of(each.endpoint)
        before.requests += each.attempts
        before.errors += each.attempts
      }
      if (endpoint === undefined) return
      const counted = of(endpoint)
      counted.requests += attempts
      counted.errors += isAnswered ? Math.max(0, attempts - 1) : attempts
      if (!isAnswered || ms === null) return
      if (usage !== null) {
        counted.tokens += usage.completion
        counted.ms += ms
      }
      if (counted.times.length >= most) counted.times.shift()
      counted.times.push(ms)
    },
    rows: () => [...endpoints].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(rowOf),
  }
}

function rowOf([endpoint, { requests, errors, tokens, ms, times }]: readonly [string, Counted]): EndpointRow {
  const sorted = Float64Array.from(times).sort()
  const tokensPerSecond = ms === 0 ? null : (tokens * 1000) / ms
  return {
    endpoint,
    requests,
    errors,
    tokens,
    tokensPerSecond,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
  }
}
