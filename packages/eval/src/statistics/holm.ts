/**
 * Holm's adjustment of several p values that are read together: each result may be compared with the same level as a single
 * test. In the order of the input.
 */
export function holm(values: readonly number[]): readonly number[] {
  const order = values.map((_, index) => index).sort((left, right) => (values[left] ?? 1) - (values[right] ?? 1))
  const adjusted: number[] = []
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (values.length - rank) * (values[index] ?? 1)))
    adjusted[index] = largest
  }
  return adjusted
}
