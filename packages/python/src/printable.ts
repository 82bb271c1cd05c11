import { PRINTABLE_RUNS } from './printable-runs.ts'

/**
 * Whether `repr` writes a code point as it is (`str.isprintable` of CPython 3.11, Unicode 14): everything but the
 * categories Cc, Cf, Cs, Co, Cn, Zl, Zp, and Zs other than U+0020 (spec §2.6).
 */
export function isPrintable(code: number): boolean {
  if (code < 0x7f) return code >= 0x20
  const ends = (allEnds ??= runEnds(PRINTABLE_RUNS))
  let low = 0
  let high = ends.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? 0) > code) high = middle
    else low = middle + 1
  }
  return low % 2 === 0
}

/** The code point after each run; runs with an even index are printable. Made for the first text that needs them. */
let allEnds: readonly number[] | null = null

function runEnds(lengths: string): readonly number[] {
  let end = 0
  return lengths
    .split(/[ \n]/)
    .filter((length) => length !== '')
    .map((length) => (end += Number.parseInt(length, 36)))
}
