/** The tests of a family that could show something at all. */
export interface Testable {
  readonly isTestable: readonly boolean[]
  /** What the p of a test that could not is multiplied by, so that it stays above the level. */
  readonly factor: number
}

/**
 * Which tests of a family count for its adjustment (Tarone 1990). `minima` are the smallest p values that the data could
 * have given, whatever side is better; they say nothing about it, so tests may be chosen by them. A test that even then would
 * not fall below level / k, when k tests would, cannot reject anything and takes nothing from the others.
 */
export function testable(minima: readonly number[], level: number): Testable {
  for (let size = 1; ; size += 1) {
    const isTestable = minima.map((least) => least < level / size)
    if (isTestable.filter(Boolean).length <= size) return { isTestable, factor: size }
  }
}

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

/**
 * The level at which Holm compares each of `values` with its p, in the order of the input: an interval at that level agrees
 * with the adjusted p. Behind the first that is not rejected, nothing is, and all have its level.
 */
export function holmLevels(values: readonly number[], level: number): readonly number[] {
  const adjusted = holm(values)
  const rejected = adjusted.filter((p) => p < level).length
  const order = values.map((_, index) => index).sort((left, right) => (values[left] ?? 1) - (values[right] ?? 1))
  const levels: number[] = []
  for (const [rank, index] of order.entries()) levels[index] = level / (values.length - Math.min(rank, rejected))
  return levels
}
