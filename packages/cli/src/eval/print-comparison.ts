import { pText } from '@callspec/eval'
import type { ComparedFigure, ComparedRow, RowName, RunComparison } from '@callspec/eval'
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
    if (rows.length > 0) for (const line of wrapItems(label, rows.map(nameOf))) output.line(inert(line))
  }
  for (const { text } of comparison.obstacles) for (const line of wrapWords(inert(`note: ${text}`))) output.line(line)
  if (comparison.rows.length === 0) {
    output.line('the two runs share no model and protocol')
    return
  }
  output.line('calls, turns, tokens: mean per episode; 95 %: interval of the difference')
  output.line('*: shown by McNemar, after Holm over all tests here; unclear: too few pairs')
}

function printRow({ before, after, broken, figures, tasks }: ComparedRow, output: Output): void {
  const [old, fresh] = [nameOf(before), nameOf(after)]
  output.line()
  output.line(output.paint('bold', inert(old === fresh ? fresh : `${old} → ${fresh}`)))
  output.line(
    renderTable({
      head: ['figure', 'before', 'after', 'diff', '95 %', 'p', 'result'],
      rows: figures.map(cellsOf),
      align: ['left', 'right', 'right', 'left', 'left', 'left', 'left'],
      ascii: !output.isTerminal,
    }),
  )
  const pairs = Math.max(0, ...figures.map((figure) => figure.pairs))
  const left = broken === 0 ? '' : `, ${broken} left out that failed on the way to the server`
  output.line(`n = ${pairs} pairs${left}`)
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
  for (const line of wrapItems(`  ${label}: `, [...shown, ...more])) output.line(inert(line))
}

function nameOf({ model, protocol }: RowName): string {
  return `${model} ${protocol}`
}
