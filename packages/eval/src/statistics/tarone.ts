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
