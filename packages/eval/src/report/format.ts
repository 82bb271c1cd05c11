import type { Rate } from '../statistics/rate.ts'
import type { Times } from '../metrics/figures.ts'
import type { SummaryRow } from '../summary/row.ts'

/** A column of a table, and whether it holds numbers. */
export interface Column {
  readonly head: string
  readonly align: 'left' | 'right'
}

const column = (head: string): Column => ({ head, align: 'right' })
const PROTOCOL: Column = { head: 'format', align: 'left' }

/** The comparison: shares in per cent, how many episodes were judged, and calls. 78 columns wide at most. */
export const COLUMNS: readonly Column[] = [
  PROTOCOL,
  ...['strict %', 'parse %', 'clean %', 'success %', 'n', 'calls'].map(column),
]

/** One row of the comparison as text, in the order of `COLUMNS`; bounds of the 95 % interval in brackets. */
export function cellsOf(row: SummaryRow): readonly string[] {
  const [values, bounds] = linesOf(row)
  return joined(values, bounds)
}

/** The same as two lines, the bounds below what they are the bounds of: a terminal is narrow. */
export function linesOf({ protocol, rates, figures }: SummaryRow): readonly [values: Cells, bounds: Cells] {
  const shown = [rates.strict_parse_rate, rates.parse_rate, rates.clean_stop_rate, rates.task_success]
  const counted = [String(rates.task_success.of), decimal(figures.calls_per_episode, 1)]
  return [
    [protocol, ...shown.map(shareText), ...counted],
    ['', ...shown.map(boundsText), '', ''],
  ]
}

type Cells = readonly string[]

function joined(values: Cells, bounds: Cells): Cells {
  return values.map((value, at) => ((bounds[at] ?? '') === '' ? value : `${value} (${bounds[at] ?? ''})`))
}

/** What it took. Times are those of single replies. 78 columns wide at most. */
export const EFFORT_COLUMNS: readonly Column[] = [
  PROTOCOL,
  ...['runaway %', 'calls/success', 'tokens', 'p50 / p95 ms', 'cost'].map(column),
]

/** One row of the effort as text, in the order of `EFFORT_COLUMNS`. */
export function effortCellsOf(row: SummaryRow, times: Times): readonly string[] {
  const [values, bounds] = effortLinesOf(row, times)
  return joined(values, bounds)
}

/** The same as two lines, like `linesOf`. */
export function effortLinesOf(
  { protocol, rates, figures }: SummaryRow,
  times: Times,
): readonly [values: Cells, bounds: Cells] {
  const values = [
    protocol,
    shareText(rates.runaway_rate),
    decimal(figures.calls_per_success, 1),
    decimal(figures.tokens_per_episode, 0),
    `${decimal(times.turn_ms_p50, 0)} / ${decimal(times.turn_ms_p95, 0)}`,
    figures.cost === null ? 'unknown' : money(figures.cost),
  ]
  return [values, ['', boundsText(rates.runaway_rate), '', '', '', '']]
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

/** `93.1 (90.2–95.1)`, in per cent, with the bounds of the 95 % interval; a dash where there was nothing to count. */
export function rateText(rate: Rate): string {
  const bounds = boundsText(rate)
  return bounds === '' ? shareText(rate) : `${shareText(rate)} (${bounds})`
}

function shareText({ rate }: Rate): string {
  return rate === null ? '—' : (rate * 100).toFixed(1)
}

/** `90.2–95.1`, `97.0–100`: the 95 % interval in per cent; empty where there was nothing to count. */
export function boundsText({ interval }: Pick<Rate, 'interval'>): string {
  return interval === null ? '' : interval.map(bound).join('–')
}

/** The ends of the scale are exact. */
function bound(share: number): string {
  return (share * 100).toFixed(1).replace(/^(0|100)\.0$/, '$1')
}

/** `94.1%`; a dash where there was nothing to count. */
export function percent({ rate }: Pick<Rate, 'rate'>): string {
  return rate === null ? '—' : `${(rate * 100).toFixed(1)}%`
}

/** A mean with so many digits; a dash for none. */
export function decimal(value: number | null, digits: number): string {
  return value === null ? '—' : value.toFixed(digits)
}

/** An amount with at least two digits behind the point, and enough of them to see a small one. */
export function money(value: number): string {
  return value === 0 || value >= 1 ? value.toFixed(2) : value.toPrecision(2)
}

/** A p value as papers write it: `p = .013`, `p < .001`, `p = 1`. */
export function pText(p: number): string {
  if (p < 0.001) return p < 1e-300 ? 'p < 1e-300' : `p = ${p.toExponential(1)}`
  if (p >= 0.9995) return 'p = 1'
  return `p = ${p.toFixed(p < 0.0995 ? 3 : 2).replace(/^0/, '')}`
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
