const HALF_LOG_2PI = 0.9189385332046728

/**
 * The natural logarithm of C(n, k) / 2^n, for whole 0 <= k <= n.
 *
 * Factorials of a thousand do not fit a double, and differences of their logarithms lose digits as n grows. This is the
 * saddle-point form of Catherine Loader ("Fast and accurate computation of binomial probabilities", 2000), which loses none:
 * 1e-13 relative in the result's exponential up to n of 10^7.
 */
export function logHalfBinomial(n: number, k: number): number {
  if (k === 0 || k === n) return -n * Math.LN2
  const rest = n - k
  const centre = stirlingError(n) - stirlingError(k) - stirlingError(rest) - deviance(k, n / 2) - deviance(rest, n / 2)
  return centre - HALF_LOG_2PI - (Math.log(k) + Math.log1p(-k / n)) / 2
}

/** ln n! minus Stirling's formula. */
function stirlingError(n: number): number {
  if (n < 16) {
    let factorial = 1
    for (let each = 2; each <= n; each += 1) factorial *= each
    return Math.log(factorial) - (n + 0.5) * Math.log(n) + n - HALF_LOG_2PI
  }
  const square = n * n
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n
}

/** x ln(x / mean) + mean - x, without cancellation where the two are close. */
function deviance(x: number, mean: number): number {
  if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x
  const v = (x - mean) / (x + mean)
  let sum = (x - mean) * v
  let power = 2 * x * v
  for (let odd = 3; ; odd += 2) {
    power *= v * v
    const next = sum + power / odd
    if (next === sum) return sum
    sum = next
  }
}
