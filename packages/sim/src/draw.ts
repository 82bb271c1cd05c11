/**
 * Random draws without a generator: each is a function of its purpose, so the order of requests, their concurrency and
 * a retry change nothing.
 */
export function draw(...key: readonly (string | number)[]): number {
  return mulberry32(fnv1a32(key.join('\u001f')))()
}

/** A source of draws for one purpose, such as one turn; each stream has its own number. */
export type Chance = (stream: string) => number

/** One of `choices`, all equally likely; null for an empty list. */
export function pick<T>(choices: readonly T[], chance: number): T | null {
  return choices[Math.min(choices.length - 1, Math.floor(chance * choices.length))] ?? null
}

/** FNV-1a, 32 bits, over the UTF-8 bytes of a text. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * The value that a standard normal variable is below with the given probability, by Acklam's rational approximation
 * (relative error below 1.2e-9). For skill and latency, which need a bell curve from a draw.
 */
export function inverseNormal(probability: number): number {
  const p = Math.min(Math.max(probability, 1e-12), 1 - 1e-12)
  if (p < TAIL) return tail(Math.sqrt(-2 * Math.log(p)))
  if (p > 1 - TAIL) return -tail(Math.sqrt(-2 * Math.log(1 - p)))
  const q = p - 0.5
  const r = q * q
  return (polynomial(CENTRE_ABOVE, r) * q) / polynomial(CENTRE_BELOW, r)
}

const TAIL = 0.02425

function tail(q: number): number {
  return polynomial(TAIL_ABOVE, q) / polynomial(TAIL_BELOW, q)
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}

const CENTRE_ABOVE = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
]
const CENTRE_BELOW = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1,
]
const TAIL_ABOVE = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const TAIL_BELOW = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1]
