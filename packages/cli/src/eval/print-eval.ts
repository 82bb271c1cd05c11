import { cellsOf, COLUMNS, counts, FINE_ENDS, FINE_TURNS, uncertainty } from '@callspec/eval'
import type { EvalSummary, SummaryRow, Task } from '@callspec/eval'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { inert, quoted } from '../terminal.ts'

/** What is printed at the end of a run. */
export interface EvalReport {
  readonly summary: EvalSummary
  readonly settings: { readonly tasks: readonly Task[]; readonly repeat: number; readonly models: readonly string[] }
  readonly folder: string
  readonly asJson: boolean
}

const WIDTH = 80

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
  output.line('next: open report.html there for every reply · callspec eval --help for real models')
}

/** What went wrong in a row, wrapped under its name; nothing when nothing did. */
function broken(row: SummaryRow): readonly string[] {
  const parts = [
    counts(row.strict, FINE_TURNS),
    ends(row),
    row.infraErrors === 0 ? '' : `not counted: ${row.infraErrors} infra errors`,
  ]
  const text = parts.filter((part) => part !== '').join('; ')
  return text === '' ? [] : wrapped(`  ${row.protocol}: ${text}`)
}

function ends(row: SummaryRow): string {
  const text = counts(row.ends, FINE_ENDS)
  return text === '' ? '' : `ended by ${text}`
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=[^ ]) /)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length > WIDTH && line !== '') {
      lines.push(line)
      line = `    ${word}`
    } else line = longer
  }
  return [...lines, line]
}

function printSize({ summary, settings }: EvalReport, output: Output): void {
  const episodes = summary.rows[0]?.episodes ?? 0
  const passes = settings.repeat === 1 ? '1 pass' : `${settings.repeat} passes`
  output.line(
    `${settings.tasks.length} tasks, ${passes}: ${episodes} episodes per row, so a rate is uncertain by up to ${uncertainty(episodes).toFixed(0)} points.`,
  )
  output.line('parse: with named repairs. calls, tokens: mean per episode. stop words: on.')
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
