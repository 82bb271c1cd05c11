import type { ExpectedCall } from '../trace/task.ts'
import { maximumMatching } from '../statistics/matching.ts'
import { canonical } from './canonical.ts'
import { longestCommon } from './longest-common.ts'
import type { MadeCall } from './verdict.ts'

/** How the calls of an episode fit those of a right run. Precision is matched / made, recall matched / gold. */
export interface CallMatch {
  readonly matched: number
  readonly made: number
  readonly gold: number
}

/**
 * Pairs made calls with gold calls, each used once, as many as can be. A call fits if name and arguments are equal as JSON
 * values, whatever the order of keys; a gold call without arguments fits every call of that tool. Under `seq` the pairs must
 * stand in the same order on both sides.
 */
export function matchCalls(
  made: readonly Pick<MadeCall, 'name' | 'args'>[],
  gold: readonly ExpectedCall[],
  order: 'any' | 'seq' = 'any',
): CallMatch {
  const madeKeys = made.map(({ name, args }) => JSON.stringify([name, canonical(args)]))
  const goldKeys = gold.map(({ name, args }) => (args === undefined ? null : JSON.stringify([name, canonical(args)])))
  const fits = (one: number, other: number): boolean => {
    const wanted = goldKeys[one]
    return wanted === null ? gold[one]?.name === made[other]?.name : wanted === madeKeys[other]
  }
  const matched =
    order === 'seq'
      ? longestCommon(gold.length, made.length, fits)
      : maximumMatching(gold.length, made.length, fits).filter((other) => other >= 0).length
  return { matched, made: made.length, gold: gold.length }
}
