/**
 * The F measure of ROUGE-L between two lists of tokens: twice their longest common subsequence, divided by their lengths
 * together; 0 when one is empty. Work: the product of the lengths, memory: the shorter one.
 */
export function rougeL(reference: readonly string[], candidate: readonly string[]): number {
  if (reference.length === 0 || candidate.length === 0) return 0
  const common = longestCommon(reference, candidate)
  // As the reference divides, so that the last digit is the same.
  const precision = common / candidate.length
  const recall = common / reference.length
  return common === 0 ? 0 : (2 * precision * recall) / (precision + recall)
}

/** A reply of a megabyte against an expected input of a few words must not take a minute. */
const MOST_CELLS = 50_000_000

function longestCommon(one: readonly string[], other: readonly string[]): number {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  const read = long.slice(0, Math.floor(MOST_CELLS / short.length))
  const row = new Uint32Array(short.length + 1)
  for (const token of read) {
    let diagonal = 0
    for (const [index, against] of short.entries()) {
      const above = row[index + 1] ?? 0
      row[index + 1] = token === against ? diagonal + 1 : Math.max(above, row[index] ?? 0)
      diagonal = above
    }
  }
  return row[short.length] ?? 0
}
