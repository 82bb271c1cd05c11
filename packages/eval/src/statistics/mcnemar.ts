import { logHalfBinomial } from './log-binomial.ts'

/**
 * The two-sided p of McNemar's exact test: how likely so uneven a split of the pairs that differ is, if neither side is
 * better. `b`: only the first side succeeded; `c`: only the second. Pairs that agree say nothing about which is better.
 *
 * Computed with logarithms, right to 1e-9 relative down to 1e-300; never 0, because no data can give that.
 */
export function mcnemar(b: number, c: number): number {
  const discordant = b + c
  const fewer = Math.min(b, c)
  if (b === c) return 1
  // From the largest term of the tail downwards: each is the one before it times i / (n - i + 1).
  let term = 1
  let sum = 1
  for (let i = fewer; i > 0 && term > sum * 1e-17; i -= 1) {
    term *= i / (discordant - i + 1)
    sum += term
  }
  const p = 2 * Math.exp(logHalfBinomial(discordant, fewer) + Math.log(sum))
  return Math.min(1, Math.max(p, Number.MIN_VALUE))
}

/** Below this p a difference counts as shown. */
export const ALPHA = 0.05
