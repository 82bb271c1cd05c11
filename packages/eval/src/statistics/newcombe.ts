import { wilson } from './rate.ts'

/** Pairs of outcomes: both succeeded, only the first, only the second, neither. */
export interface PairCounts {
  readonly both: number
  readonly first: number
  readonly second: number
  readonly neither: number
}

/** A difference of two rates with its 95 % interval. */
export interface Difference {
  readonly effect: number
  readonly interval: readonly [number, number]
}

/**
 * The difference of two paired rates, first minus second, with the interval of Newcombe (1998), method 10: Wilson's
 * intervals of both, joined under their correlation with a continuity correction. Null without pairs.
 */
export function pairedDifference({ both, first, second, neither }: PairCounts): Difference | null {
  const n = both + first + second + neither
  if (n === 0) return null
  const [hitsOne, hitsTwo] = [both + first, both + second]
  const [one, two] = [hitsOne / n, hitsTwo / n]
  const [lowOne, highOne] = wilson(hitsOne, n)
  const [lowTwo, highTwo] = wilson(hitsTwo, n)
  const phi = correlation({ both, first, second, neither })
  const reach = (left: number, right: number): number => Math.sqrt(left ** 2 - 2 * phi * left * right + right ** 2)
  const effect = (first - second) / n
  const low = effect - reach(one - lowOne, highTwo - two)
  const high = effect + reach(highOne - one, two - lowTwo)
  return { effect, interval: [Math.max(-1, low), Math.min(1, high)] }
}

function correlation({ both, first, second, neither }: PairCounts): number {
  const n = both + first + second + neither
  const margins = (both + first) * (second + neither) * (both + second) * (first + neither)
  if (margins === 0) return 0
  const product = both * neither - first * second
  const corrected = product > 0 ? Math.max(product - n / 2, 0) : product
  return corrected / Math.sqrt(margins)
}
