import { coinTails } from './subset-sums.ts'

/** Whole numbers, and how many values are each of them: `counts[at]` of `at - offset`. */
export interface Grouped {
  readonly counts: Int32Array
  readonly offset: number
  /** How many values there are, zeros included. */
  readonly of: number
}

/**
 * The exact one-sided p of the sign-flip test of whole numbers against a mean of `limit` >= 0, in a few microseconds where it
 * is small: subsets are counted group by group, and sums that are too high for the mean are not followed.
 */
export function createGroupTail(of: number, limit: number): (grouped: Grouped) => number {
  const highest = Math.floor(limit * of + 1e-9)
  const tailsOf = new Map<number, Float64Array>()
  return ({ counts, offset }) => {
    let lowest = 0
    for (let at = 0; at < offset; at += 1) lowest += (at - offset) * (counts[at] ?? 0)
    const zeros = counts[offset] ?? 0
    const width = highest - lowest + 1
    let table: Float64Array = new Float64Array((of - zeros + 1) * width)
    table[-lowest] = 2 ** -(of - zeros)
    let most = 0
    for (let at = 0; at < counts.length; at += 1) {
      const count = counts[at] ?? 0
      if (count === 0 || at === offset) continue
      table = withGroup(table, { value: at - offset, count, width, most })
      most += count
    }
    const tails = tailsOf.get(zeros) ?? coinTails(zeros)
    tailsOf.set(zeros, tails)
    return shareBelow(table, { width, lowest, limit, tails })
  }
}

interface Group {
  readonly value: number
  readonly count: number
  readonly width: number
  /** The largest size so far. */
  readonly most: number
}

function withGroup(table: Float64Array, { value, count, width, most }: Group): Float64Array {
  const next = new Float64Array(table.length)
  for (let size = 0; size <= most; size += 1)
    for (let at = 0; at < width; at += 1) {
      const ways = table[size * width + at] ?? 0
      if (ways === 0) continue
      let choose = ways
      for (let taken = 0; taken <= count; taken += 1) {
        const to = at + taken * value
        if (to >= width) break
        const cell = (size + taken) * width + to
        next[cell] = (next[cell] ?? 0) + choose
        choose *= (count - taken) / (taken + 1)
      }
    }
  return next
}

interface Below {
  readonly width: number
  readonly lowest: number
  readonly limit: number
  readonly tails: Float64Array
}

function shareBelow(table: Float64Array, { width, lowest, limit, tails }: Below): number {
  let p = 0
  for (let cell = 0; cell < table.length; cell += 1) {
    const share = table[cell] ?? 0
    if (share === 0) continue
    const size = Math.floor(cell / width)
    const sum = cell - size * width + lowest
    const needed = sum <= 0 ? 0 : Math.ceil(sum / limit - size - 1e-9)
    p += share * (tails[Math.max(0, Math.min(needed, tails.length - 1))] ?? 0)
  }
  return p
}
