import { logHalfBinomial } from './log-binomial.ts'

/** Sums of subsets, each with the number of its members and its share of all subsets. */
export interface SubsetSums {
  readonly sums: Float64Array
  readonly members: Int32Array
  readonly shares: Float64Array
}

/** How many steps `latticeSums` takes for these whole numbers. */
export function latticeCost(values: readonly number[]): number {
  return values.length * (values.length + 1) * (1 + values.reduce((sum, value) => sum + Math.abs(value), 0))
}

/** All subsets of whole numbers by sum and size, by dynamic programming: those that agree in both are one. */
export function latticeSums(values: readonly number[]): SubsetSums {
  const lowest = values.reduce((sum, value) => sum + Math.min(0, value), 0)
  const width = values.reduce((sum, value) => sum + Math.abs(value), 0) + 1
  const table = new Float64Array((values.length + 1) * width)
  table[-lowest] = 1
  // `low` and `high` bound the sums so far. From the largest size down: no value may be taken twice.
  let [low, high] = [-lowest, -lowest]
  for (const [taken, value] of values.entries()) {
    for (let size = taken; size >= 0; size -= 1) {
      const [from, to] = [size * width, (size + 1) * width + value]
      for (let at = low; at <= high; at += 1) {
        const half = (table[from + at] ?? 0) / 2
        if (half === 0) continue
        table[from + at] = half
        table[to + at] = (table[to + at] ?? 0) + half
      }
    }
    low += Math.min(0, value)
    high += Math.max(0, value)
  }
  return filled(table, { width, lowest })
}

function filled(
  table: Float64Array,
  { width, lowest }: { readonly width: number; readonly lowest: number },
): SubsetSums {
  const count = table.reduce((sum, share) => sum + (share > 0 ? 1 : 0), 0)
  const found = { sums: new Float64Array(count), members: new Int32Array(count), shares: new Float64Array(count) }
  let next = 0
  for (const [at, share] of table.entries()) {
    if (share === 0) continue
    const size = Math.floor(at / width)
    found.sums[next] = at - size * width + lowest
    found.members[next] = size
    found.shares[next] = share
    next += 1
  }
  return found
}

/** All 2^n subsets one by one, of any numbers. */
export function everySubset(values: readonly number[]): SubsetSums {
  const count = 2 ** values.length
  const [sums, members] = [new Float64Array(count), new Int32Array(count)]
  for (const [bit, value] of values.entries())
    for (let at = 0; at < 2 ** bit; at += 1) {
      sums[2 ** bit + at] = (sums[at] ?? 0) + value
      members[2 ** bit + at] = (members[at] ?? 0) + 1
    }
  return { sums, members, shares: new Float64Array(count).fill(1 / count) }
}

/** For n fair coins: how likely at least k of them fall on heads, for k = 0 to n + 1. */
export function coinTails(n: number): Float64Array {
  const tails = new Float64Array(n + 2)
  for (let k = n; k >= 0; k -= 1) tails[k] = (tails[k + 1] ?? 0) + Math.exp(logHalfBinomial(n, k))
  return tails
}
