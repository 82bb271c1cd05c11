import { formatParts } from '../trace/eval-api.ts'
import { formatId } from '../trace/format-names.ts'
import type { Rate } from '../statistics/rate.ts'
import type { Times } from '../metrics/figures.ts'
import type { SummaryRow } from '../summary/row.ts'
import { figureName } from '../metrics/rates.ts'
import type { PairedTest } from '../metrics/paired-tests.ts'
import type { ModelComparison, FormatComparison } from '../metrics/compare-rows.ts'
import type { Sensitivity } from '../summary/eval-summary.ts'
import type { Cause } from '../summary/causes.ts'
import { plural } from '../text/text.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { EndpointEntry, Transport, EndpointRow } from '../summary/transport.ts'

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
export function rowCells(row: SummaryRow): readonly string[] {
  return [formatId(row.protocol), ...shownRates(row).map(rateWithCount), sizeOfRow(row)]
}

/** The same as three lines, for a terminal: values, whole bounds, counts. */
export function rowLines(row: SummaryRow): readonly (readonly string[])[] {
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
  'of the replies that meant a call: syntax, readable; valid, a valid call of an offered tool; strict, valid without a repair',
  'of the episodes: clean, ended by themselves; success, clean and task done; n: tasks × tries',
  'below a rate: its 95 % interval by task, then the counts',
  'calls: per episode / per solved episode; tokens: mean per episode; p50 / p95: time per reply',
]

/** What a format that asks for a call in parts comes to, part by part; nothing for the others. */
export function selectionParts({ selection }: SummaryRow): readonly string[] {
  if (selection === null) return []
  const { number, arguments: args, saidEnd } = selection
  return [
    `numbers ${ratePercent(number.strict)} strict`,
    `${ratePercent(number.parse)} parse`,
    `arguments ${ratePercent(args.strict)} strict`,
    `${ratePercent(args.parse)} parse`,
    `-1 in ${saidEnd.hits} of ${saidEnd.of} episodes`,
  ]
}

/** `93.1 (90.2–95.1)`, in per cent, with the bounds of the 95 % interval; a dash where there was nothing to count. */
export function rateText(rate: Rate): string {
  const bounds = boundsText(rate)
  return bounds === '' ? shareText(rate) : `${shareText(rate)} (${bounds})`
}

/** `94.1`, in per cent; a dash where there was nothing to count. */
export function shareText({ rate }: Rate): string {
  return rate === null ? '—' : (rate * 100).toFixed(1)
}

/** `90.2–95.1`, `97.0–100`: the 95 % interval in per cent; empty where there was nothing to count. */
export function boundsText({ interval }: Pick<Rate, 'interval'>): string {
  return interval === null ? '' : interval.map(bound).join('–')
}

/** `85–95`: rounded outwards, so that nothing is promised that the interval does not hold. */
export function wholeBounds({ interval }: Rate): string {
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
export function ratePercent({ rate }: Pick<Rate, 'rate'>): string {
  return rate === null ? '—' : `${(rate * 100).toFixed(1)}%`
}

/** A mean with so many digits; a dash for none. */
export function decimal(value: number | null, digits: number): string {
  return value === null ? '—' : value.toFixed(digits)
}

/** An amount with at least two decimals, and enough of them to see a small one. */
export function money(value: number): string {
  return value === 0 || value >= 1 ? value.toFixed(2) : value.toPrecision(2)
}

/** A p value as papers write it: `p = .013`, `p < .001`, `p = 1`. */
export function pText(p: number): string {
  if (p < 0.001) return p < 1e-300 ? 'p < 1e-300' : `p = ${p.toExponential(1)}`
  if (p >= 0.9995) return 'p = 1'
  return `p = ${p.toFixed(p < 0.0995 ? 3 : 2).replace(/^0/, '')}`
}

/** The labels that are worth a look, most frequent first: `3 malformed, 1 truncated`; empty without any. */
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

/** `2 models × 3 formats × 42 tasks × 3 seeds`, with `× 2 APIs` where several were asked. */
export function sizeText({ models, protocols, tasks, repeat }: RunFacts): string {
  const formats = new Set(protocols.map((name) => formatParts(name).bare))
  return [
    plural(models.length, 'model'),
    plural(formats.size, 'format'),
    ...(protocols.length === formats.size ? [] : [`${protocols.length / formats.size} APIs`]),
    plural(tasks, 'task'),
    plural(repeat, 'seed'),
  ].join(' × ')
}

/** `m on llama.cpp b10257`: what the engines say of themselves, with all builds where a run met several. */
export function enginesText({ engines = {} }: Pick<Transport, 'engines'>): string {
  return Object.entries(engines)
    .map(([model, builds]) => `${model} on ${builds.join(', then ')}`)
    .join('; ')
}

/** `nous beats react on success by …`: which of two formats solves more tasks; null where no difference is shown. */
export function comparisonText({ left, right, tests }: FormatComparison): string | null {
  const test = tests.find(({ metric }) => metric === 'task_success')
  if (test === undefined || !test.isShown || test.favours === null) return null
  const [winner, loser] = test.favours === 'left' ? [left, right] : [right, left]
  return `${formatId(winner)} beats ${formatId(loser)} on success by ${differenceText(test)}.`
}

/** The columns of `modelDifferences`. */
export const MODEL_COLUMNS: readonly { readonly head: string; readonly align: 'left' | 'right' }[] = [
  { head: 'format', align: 'left' },
  { head: 'success of', align: 'left' },
  { head: 'minus that of', align: 'left' },
  { head: 'points', align: 'right' },
  { head: '95 %', align: 'right' },
  { head: 'p', align: 'right' },
]

/**
 * How much more tasks one model solves than another in the same format, the better one first, with a star where that is shown: shown
 * ones first, then the largest. Nothing where a run has one model.
 */
export function modelDifferences(comparisons: readonly ModelComparison[] = []): readonly (readonly string[])[] {
  return comparisons
    .flatMap((comparison) => {
      const test = comparison.tests.find(({ metric }) => metric === 'task_success')
      return test === undefined || test.effect === null ? [] : [{ comparison, test, size: Math.abs(test.effect) }]
    })
    .toSorted((one, other) => Number(other.test.isShown) - Number(one.test.isShown) || other.size - one.size)
    .map(({ comparison: { protocol, left, right }, test, size }) => [
      formatId(protocol),
      ...(test.favours === 'right' ? [right, left] : [left, right]),
      `${(size * 100).toFixed(1)}${test.isShown ? ' *' : ''}`,
      endsOf(test).join(' to '),
      test.adjustedP === null ? '' : pText(test.adjustedP).replace(/^p = /, ''),
    ])
}

/** The ends of the interval in points, seen from the better side. */
function endsOf({ interval, favours }: PairedTest): readonly string[] {
  const sign = favours === 'right' ? -1 : 1
  const ends = (interval ?? []).map((end) => sign * end * 100).toSorted((one, other) => one - other)
  return ends.map((end) => end.toFixed(1).replace(/^-(?=0\.0$)/, ''))
}

/** `16.7 points (95 %: 2.1 to 31.0; p = .014 after Holm, 42 tasks × 3 tries)`, whichever side is better. */
export function differenceText(test: PairedTest): string {
  const { effect, adjustedP } = test
  const ends = endsOf(test)
  const range = ends.length === 0 ? '' : `95 %: ${ends.join(' to ')}; `
  const p = adjustedP === null ? '' : `${pText(adjustedP)} after Holm, `
  return `${(Math.abs(effect ?? 0) * 100).toFixed(1)} points (${range}${p}${triesText(test)})`
}

/** `42 tasks × 3`, `42 tasks × 2 to 3`. */
export function sizeOfTest({ tasks, tries: [fewest, most] }: Pick<PairedTest, 'tasks' | 'tries'>): string {
  return `${plural(tasks, 'task')} × ${fewest === most ? most : `${fewest} to ${most}`}`
}

/** `42 tasks × 3 tries`: what a test rests on. */
export function triesText(test: Pick<PairedTest, 'tasks' | 'tries'>): string {
  return `${sizeOfTest(test)} ${test.tries[1] === 1 ? 'try' : 'tries'}`
}

/**
 * `success was measured 9.5 points apart between formats (sd 4.8): nous highest, react lowest`. What was measured, not what
 * is shown: the conclusion says that.
 */
export function sensitivityText({ metric, maxDelta, deviation, best, worst }: Sensitivity): string {
  const points = (share: number): string => (share * 100).toFixed(1)
  const rows = formatParts(best).api === null ? 'formats' : 'formats and APIs'
  if (maxDelta === 0) return `${figureName(metric)} was measured alike in all ${rows}`
  return `${figureName(metric)} was measured ${points(maxDelta)} points apart between ${rows} (sd ${points(deviation)}): ${formatId(best)} highest, ${formatId(worst)} lowest`
}

/** `14 × action-line (parser)`: what made so many episodes fail, or so many turns where no episode did. */
export function causeText({ rule, detail, blames, episodes, turns }: Cause): string {
  const what = detail ?? rule
  return episodes > 0 ? `${episodes} × ${what} (${blames})` : `${turns} × ${what} in a turn (${blames})`
}

/** `http://gpu1:8000/v1: 120 requests, 3 errors, 45.1 tokens/s, p50 / p95 1200 / 3000 ms, version 0.11.0`: what an endpoint did. */
export function endpointText(row: EndpointRow & Partial<Pick<EndpointEntry, 'build'>>): string {
  const { endpoint, requests, errors, tokensPerSecond, p50, p95, build = null } = row
  return [
    `${endpoint}: ${plural(requests, 'request')}`,
    plural(errors, 'error'),
    `${decimal(tokensPerSecond, 1)} tokens/s`,
    `p50 / p95 ${decimal(p50, 0)} / ${decimal(p95, 0)} ms`,
    ...(build === null ? [] : [build]),
  ].join(', ')
}

/** Episodes that restarted at another endpoint, and replies that several machines requested; one sentence each. */
export function transportTexts({ moved, restarted, superseded, askedTwice, dropped }: Transport): readonly string[] {
  return [
    ...(moved === 0 ? [] : [`Episodes went on at another endpoint ${plural(moved, 'time')}.`]),
    ...(restarted === 0
      ? []
      : [
          `${plural(restarted, 'episode')} restarted at another endpoint; ${plural(superseded, 'earlier turn')} ${superseded === 1 ? 'does' : 'do'} not count.`,
        ]),
    ...(askedTwice === 0 ? [] : [`${plural(askedTwice, 'reply', 'replies')} asked for twice.`]),
    ...(dropped === 0 ? [] : [`${plural(dropped, 'reply', 'replies')} dropped, because another one was stored.`]),
  ]
}
