import type { Rate } from '../statistics/rate.ts'
import type { SummaryRow } from '../score/summarize.ts'

/** The columns of the comparison, and which are numbers. */
export const COLUMNS: readonly { readonly head: string; readonly align: 'left' | 'right' }[] = [
  { head: 'protocol', align: 'left' },
  { head: 'strict parse', align: 'right' },
  { head: 'parse', align: 'right' },
  { head: 'clean stop', align: 'right' },
  { head: 'success', align: 'right' },
  { head: 'calls', align: 'right' },
  { head: 'tokens', align: 'right' },
]

/** One row of the comparison as text, in the order of `COLUMNS`. */
export function cellsOf(row: SummaryRow): readonly string[] {
  return [
    row.protocol,
    percent(row.strictParse),
    percent(row.parse),
    percent(row.cleanStop),
    percent(row.success),
    decimal(row.calls, 1),
    decimal(row.tokens, 0),
  ]
}

/** What a protocol that asks for a call in parts comes to, part by part; nothing for the others. */
export function selectionParts({ selection }: SummaryRow): readonly string[] {
  if (selection === null) return []
  const { number, arguments: args, saidEnd } = selection
  return [
    `numbers ${percent(number.strict)} strict`,
    `${percent(number.parse)} parse`,
    `arguments ${percent(args.strict)} strict`,
    `${percent(args.parse)} parse`,
    `-1 in ${saidEnd.hits} of ${saidEnd.of} episodes`,
  ]
}

/** `94.1 %`; a dash where there was nothing to count. */
export function percent({ rate }: Rate): string {
  return rate === null ? '—' : `${(rate * 100).toFixed(1)}%`
}

/** A mean with so many digits; a dash for none. */
export function decimal(value: number | null, digits: number): string {
  return value === null ? '—' : value.toFixed(digits)
}

/** The labels that are worth a look, most frequent first: `3 malformed, 1 truncated`; empty when there are none. */
export function counts(histogram: Readonly<Partial<Record<string, number>>>, without: readonly string[]): string {
  return Object.entries(histogram)
    .filter(([name]) => !without.includes(name))
    .sort(([, left = 0], [, right = 0]) => right - left)
    .map(([name, count]) => `${count ?? 0} ${name}`)
    .join(', ')
}

/** Turn labels that say that nothing is wrong. */
export const FINE_TURNS: readonly string[] = ['well_formed', 'final_answer']
/** Ends that are clean stops. */
export const FINE_ENDS: readonly string[] = ['final_answer', 'no_tool_stop']

/** Half the width of a 95 % interval at a rate of one half, in points: what this many episodes cannot tell apart. */
export function uncertainty(episodes: number): number {
  return episodes === 0 ? 100 : 100 * 1.959964 * Math.sqrt(0.25 / episodes)
}
