import { formatId } from '../trace/format-names.ts'
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

/**
 * The comparison in per cent. `syntax`, `valid` and `strict` are shares of the replies that meant a call: those that could be read,
 * those that were a valid call, those that were so without a repair. `clean` and `success` are shares of the episodes.
 */
export const COLUMNS: readonly Column[] = [
  PROTOCOL,
  ...['syntax %', 'valid %', 'strict %', 'clean %', 'success %', 'n'].map(column),
]

/** One row of the comparison as text, in the order of `COLUMNS`: `90.7 (85.1–94.4) 176/194`, with the 95 % interval in brackets. */
export function cellsOf(row: SummaryRow): readonly string[] {
  return [formatId(row.protocol), ...shownRates(row).map(rateWithCount), sizeOfRow(row)]
}

/** The same as three lines, for a terminal: values, whole bounds, counts. */
export function linesOf(row: SummaryRow): readonly (readonly string[])[] {
  const shown = shownRates(row)
  return [
    [formatId(row.protocol), ...shown.map(shareText), sizeOfRow(row)],
    ['', ...shown.map(wholeBounds), ''],
    ['', ...shown.map(countText), ''],
  ]
}

function shownRates({ rates }: SummaryRow): readonly Rate[] {
  return [
    ...[rates.syntax_rate, rates.parse_rate, rates.strict_parse_rate],
    ...[rates.clean_stop_rate, rates.task_success],
  ]
}

function rateWithCount(rate: Rate): string {
  return rate.rate === null ? shareText(rate) : `${rateText(rate)} ${countText(rate)}`
}

/** `42 × 3`, `42 × 2–3`: tasks and how often each was tried; the episodes alone in a summary of an earlier version. */
export function sizeOfRow({ rates: { task_success: success }, tries }: SummaryRow): string {
  if (success.tasks === undefined || tries === undefined || success.of === 0) return String(success.of)
  const [fewest, most] = tries
  return `${success.tasks} × ${fewest === most ? most : `${fewest}–${most}`}`
}

/** What rows took, in columns. Times are those of single replies. Costs are left out where none is known. */
export function effortTable(
  rows: readonly SummaryRow[],
  timesOf: (row: SummaryRow) => Times,
): { readonly columns: readonly Column[]; readonly cells: readonly (readonly string[])[] } {
  const hasCost = rows.some(({ figures }) => figures.cost !== null)
  const heads = ['runaway %', 'calls', 'tokens', 'p50 / p95 ms', ...(hasCost ? ['cost'] : [])]
  const cells = rows.map((row) => {
    const { protocol, rates, figures } = row
    const times = timesOf(row)
    return [
      formatId(protocol),
      shareText(rates.runaway_rate),
      `${decimal(figures.calls_per_episode, 1)} / ${decimal(figures.calls_per_success, 1)}`,
      decimal(figures.tokens_per_episode, 0),
      `${decimal(times.turn_ms_p50, 0)} / ${decimal(times.turn_ms_p95, 0)}`,
      ...(hasCost ? [figures.cost === null ? 'unknown' : money(figures.cost)] : []),
    ]
  })
  return { columns: [PROTOCOL, ...heads.map(column)], cells }
}

/** What the columns of both tables count. */
export const COLUMN_TEXTS: readonly string[] = [
  'syntax, valid, strict: of the replies that meant a call, those that could be read; that were a valid call of an offered tool; that were so without a repair',
  'clean: episodes that ended by themselves; success: clean, and did what the task asks; n: tasks × tries',
  'below a rate: its 95 % interval by task, then what was counted',
  'calls: per episode / per solved episode; tokens: mean per episode; p50 / p95: of single replies',
]

/** What a format that asks for a call in parts comes to, part by part; nothing for the others. */
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

/** `85–95`: rounded outwards, so that nothing is promised that the interval does not hold. */
function wholeBounds({ interval }: Rate): string {
  if (interval === null) return ''
  const [low, high] = interval
  return `${Math.floor(low * 100 + 1e-9)}–${Math.ceil(high * 100 - 1e-9)}`
}

function countText({ hits, of }: Rate): string {
  return of === 0 ? '' : `${hits}/${of}`
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
