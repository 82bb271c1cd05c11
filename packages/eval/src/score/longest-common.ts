/** The length of the longest common subsequence of two lists. Time: the product of their lengths. */
export function longestCommon(left: number, right: number, fits: (left: number, right: number) => boolean): number {
  let above: readonly number[] = Array.from({ length: right + 1 }, () => 0)
  for (let one = 0; one < left; one += 1) {
    const row = [0]
    for (let other = 0; other < right; other += 1)
      row.push(fits(one, other) ? (above[other] ?? 0) + 1 : Math.max(above[other + 1] ?? 0, row[other] ?? 0))
    above = row
  }
  return above[right] ?? 0
}
