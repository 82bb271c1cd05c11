import { pText, triesText } from '@callspec/eval'
import type { ComparedFigure, ComparedRow, RowName, RunComparison } from '@callspec/eval'
import { plural } from '@callspec/eval/plural'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { inert } from '../terminal.ts'
import { wrapItems, wrapWords } from './wrap-items.ts'

/** Prints what became of every row, and what a reader has to know. */
export function printComparison(
  comparison: RunComparison,
  { before, after }: { readonly before: string; readonly after: string },
  output: Output,
): void {
  output.line(inert(`before  ${before}`))
  output.line(inert(`after   ${after}`))
  for (const row of comparison.rows) printRow(row, output)
  output.line()
  for (const [label, rows] of [
    ['only before: ', comparison.onlyBefore],
    ['only after: ', comparison.onlyAfter],
  ] as const) {
    if (rows.length > 0) for (const line of wrapItems(label, rows.map(nameOf), output)) output.line(inert(line))
  }
  for (const { text } of comparison.obstacles)
    for (const line of wrapWords(inert(`note: ${text}`), output)) output.line(line)
  if (comparison.rows.length === 0) {
    output.line('the two runs share no model and format')
    return
  }
  output.line('before, after, diff: mean over tasks (calls, turns, tokens: per episode)')
  output.line('p, *: exact sign-flip test by task, after Holm; 95 %: the same test inverted;')
  output.line('both over all comparisons of this table; unclear: too little to tell')
}

function printRow({ before, after, broken, unpaired, figures, tasks }: ComparedRow, output: Output): void {
  const [old, fresh] = [nameOf(before), nameOf(after)]
  output.line()
  output.line(output.paint('bold', inert(old === fresh ? fresh : `${old} → ${fresh}`)))
  output.line(
    renderTable({
      head: ['figure', 'before', 'after', 'diff', '95 %', 'p', 'result'],
      rows: figures.map(cellsOf),
      align: ['left', 'right', 'right', 'left', 'left', 'left', 'left'],
      ascii: !output.isTerminal,
      width: output.wrapAt,
    }),
  )
  for (const line of wrapItems('n = ', sizesOf({ broken, unpaired, figures }), output)) output.line(line)
  printTasks(
    'solved less often',
    tasks.filter((task) => task.after < task.before),
    output,
  )
  printTasks(
    'solved more often',
    tasks.filter((task) => task.after > task.before),
    output,
  )
}

/** What was compared, and what was left out. */
function sizesOf({
  broken,
  unpaired,
  figures,
}: Pick<ComparedRow, 'broken' | 'unpaired' | 'figures'>): readonly string[] {
  const most = figures.reduce<ComparedFigure | null>(
    (one, each) => (one !== null && one.pairs >= each.pairs ? one : each),
    null,
  )
  const without = figures
    .filter(({ leftOut }) => leftOut > 0)
    .map(({ metric, leftOut }) => `${titleOf(metric)}: ${plural(leftOut, 'task')} without a call left out`)
  return [
    most === null ? 'no tasks' : triesText(most),
    ...(broken === 0 ? [] : [`${broken} pairs left out that failed on the way to the server`]),
    ...(unpaired === 0 ? [] : [`${plural(unpaired, 'episode')} without a partner`]),
    ...without,
  ]
}

function cellsOf(figure: ComparedFigure): readonly string[] {
  const { metric, left, right, effect, interval, adjustedP, isShown, change } = figure
  const star = isShown ? ' *' : ''
  return [
    titleOf(metric),
    value(right, figure),
    value(left, figure),
    effect === null ? '—' : `${signed(effect, figure)}${star}`,
    interval === null ? '' : interval.map((end) => value(end, figure)).join(' to '),
    adjustedP === null ? '' : pText(adjustedP).replace(/^p = /, ''),
    RESULTS[change],
  ]
}

const RESULTS: Readonly<Record<ComparedFigure['change'], string>> = {
  regressed: 'worse',
  improved: 'better',
  'no difference': 'equal',
  'not enough samples': 'unclear',
}

/** `strict parse` for `strict_parse_rate`. */
function titleOf(metric: string): string {
  return metric.replace(/^task_|_rate$|_per_episode$/g, '').replaceAll('_', () => ' ')
}

function value(number: number | null, { isShare }: ComparedFigure): string {
  if (number === null) return '—'
  return (isShare ? (number * 100).toFixed(1) : plain(number)).replace(/^-(?=0\.?0*$)/, '')
}

function signed(number: number, figure: ComparedFigure): string {
  const text = value(number, figure)
  return number > 0 ? `+${text}` : text
}

/** Calls with a digit, tokens without. */
function plain(number: number): string {
  return Math.abs(number) < 100 ? number.toFixed(1) : number.toFixed(0)
}

const SHOWN = 12

function printTasks(label: string, tasks: ComparedRow['tasks'], output: Output): void {
  if (tasks.length === 0) return
  const shown = tasks.slice(0, SHOWN).map(({ task, before, after, pairs }) => `${task} ${before}→${after}/${pairs}`)
  const more = tasks.length > SHOWN ? [`${tasks.length - SHOWN} more`] : []
  for (const line of wrapItems(`  ${label}: `, [...shown, ...more], output)) output.line(inert(line))
}

function nameOf({ model, protocol }: RowName): string {
  return `${model} ${protocol}`
}
