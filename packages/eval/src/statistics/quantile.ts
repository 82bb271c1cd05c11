/**
 * The quantile of type 7 (Hyndman and Fan; the default of numpy and R): linear between the two nearest values.
 *
 * @param sorted in rising order; any array of numbers
 * @param share from 0 to 1
 * @returns null of nothing
 */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const low = sorted[below] ?? NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN
  return low + (high - low) * (place - below)
}
