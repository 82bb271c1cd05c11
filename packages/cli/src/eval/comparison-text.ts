import { pText } from '@callspec/eval'
import type { PairedTest, ProtocolComparison } from '@callspec/eval'

/**
 * `react loses to fncall-nous …`: which of two protocols is better at solving tasks, in a sentence; null where no difference
 * is shown.
 */
export function comparisonText({ left, right, tests }: ProtocolComparison): string | null {
  const test = tests.find(({ metric }) => metric === 'task_success')
  if (test === undefined || !test.isShown || test.favours === null) return null
  const [winner, loser] = test.favours === 'left' ? [left, right] : [right, left]
  return `${winner} beats ${loser} on success by ${differenceText(test)}.`
}

/** `9.5 points (95 %: 2.1 to 16.8; McNemar p = .013, n = 126 pairs)`, whoever is better. */
export function differenceText({ effect, interval, adjustedP, pairs, favours }: PairedTest): string {
  const sign = favours === 'right' ? -1 : 1
  const ends = (interval ?? []).map((end) => sign * end * 100).toSorted((one, other) => one - other)
  const range = ends.length === 0 ? '' : `95 %: ${ends.map((end) => end.toFixed(1)).join(' to ')}; `
  const p = adjustedP === null ? '' : `McNemar ${pText(adjustedP)}, `
  return `${(Math.abs(effect ?? 0) * 100).toFixed(1)} points (${range}${p}n = ${pairs} pairs)`
}
