import { cellsOf, COLUMNS, counts, FINE_ENDS, FINE_TURNS, selectionParts, uncertainty } from '@callspec/eval'
import type { EvalSummary, SummaryRow, Task } from '@callspec/eval'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { inert, quoted } from '../terminal.ts'
import { wrapItems } from './wrap-items.ts'

/** What is printed at the end of a run. */
export interface EvalReport {
  readonly summary: EvalSummary
  readonly settings: { readonly tasks: readonly Task[]; readonly repeat: number; readonly models: readonly string[] }
  readonly folder: string
  readonly asJson: boolean
}

/** Prints the comparison, one table per model, then what broke, the ledger, and where the rest is. */
export function printEval(report: EvalReport, output: Output): void {
  const { summary, settings, folder, asJson } = report
  if (asJson) {
    output.line(JSON.stringify({ ...summary, folder }, null, 2))
    return
  }
  for (const model of settings.models) {
    const rows = summary.rows.filter((row) => row.model === model)
    output.line(output.paint('bold', inert(model)))
    output.line(
      renderTable({
        head: COLUMNS.map((column) => column.head),
        rows: rows.map(cellsOf),
        align: COLUMNS.map((column) => column.align),
        ascii: !output.isTerminal,
      }),
    )
    for (const row of rows) for (const line of broken(row)) output.line(line)
    output.line()
  }
  printSize(report, output)
  printLedger(summary, output)
  output.line()
  output.line(`${folder}/`)
  output.line('next: open report.html for every reply · callspec eval --help for real models')
}

/** What went wrong in a row, most often first; nothing when nothing did. And the parts, where calls come in parts. */
function broken(row: SummaryRow): readonly string[] {
  const told = [
    [`  ${row.protocol} parts: `, selectionParts(row).join(', ')],
    [`  ${row.protocol} turns: `, counts(row.strict, FINE_TURNS)],
    [`  ${row.protocol} ends: `, counts(row.ends, FINE_ENDS)],
  ] as const
  return told.flatMap(([label, text]) => (text === '' ? [] : wrapItems(label, text.split(', '))))
}

function printSize({ summary, settings }: EvalReport, output: Output): void {
  const episodes = summary.rows[0]?.episodes ?? 0
  const passes = settings.repeat === 1 ? '1 pass' : `${settings.repeat} passes`
  const size = `${plural(settings.tasks.length, 'task')}, ${passes}: ${plural(episodes, 'episode')} per row`
  output.line(`${size}; a rate is uncertain by up to ${uncertainty(episodes).toFixed(0)} points`)
  output.line('parse: with named repairs; calls, tokens: mean per episode; stop words: on')
}

const SHOWN = 5

function printLedger({ ledger }: EvalSummary, output: Output): void {
  if (ledger === null) return
  const { turns, turnsAgreeing, episodes, episodesAgreeing, differences } = ledger
  const agrees = differences.length === 0
  const line = `ledger: ${turnsAgreeing} of ${turns} turns and ${episodesAgreeing} of ${episodes} ends measured as injected`
  output.line(agrees ? line : output.paint('red', line))
  for (const difference of differences.slice(0, SHOWN)) output.line(`  ${quoted(difference, 200)}`)
  if (differences.length > SHOWN) output.line(`  and ${differences.length - SHOWN} more, in summary.json`)
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
