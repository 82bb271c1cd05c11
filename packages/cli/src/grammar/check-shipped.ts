import type { GrammarCheck } from '@callspec/grammar'
import type { ShippedCheck } from '@callspec/grammar/shipped'
import { checkShipped, shippedName, shippedRows } from '@callspec/grammar/shipped'
import { plural } from '@callspec/eval/text'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { renderTable } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'

/** Random texts of each grammar that are read back; there are some hundred grammars. */
const WALKS = 300

/** `grammar check --shipped all`, or the name of an engine: a line for each grammar that belongs to a format. */
export async function runCheckShipped({ positionals, options, output }: Invocation): Promise<ExitCode> {
  const engine = options.text('shipped')
  const given = ['tools', 'template', 'html', 'choice'].find((name) => options.text(name) !== null)
  if (positionals.length > 0 || given !== undefined)
    throw new UsageError(
      `--shipped ${engine ?? ''} checks many grammars: leave ${given === undefined ? 'GRAMMAR' : `--${given}`} out.`,
    )
  const format = options.text('format')
  const rows = shippedRows().filter(
    (row) =>
      (engine === 'all' || row.engine === engine) && row.format !== null && (format === null || row.format === format),
  )
  const checks: ShippedCheck[] = []
  const progress = workProgress({ output, noun: 'grammar', of: rows.length })
  for (const row of rows) {
    progress.step(checks.length)
    checks.push(checkShipped(row, { walks: WALKS }))
    // So that an interrupt is heard between two grammars.
    await new Promise((settle) => setImmediate(settle))
  }
  output.progressDone()
  if (options.flag('json')) output.line(JSON.stringify(checks.map(jsonOf), null, 2))
  else {
    const head = ['grammar', 'format', 'choice', 'refused', 'unread']
    const table = checks.map(({ row, check }) => [
      ...[shippedName(row), row.format ?? '', `${row.choice}${thoughtText(row.thinking)}`],
      ...(typeof check === 'string' ? [check, ''] : [share(check, 'refused'), share(check, 'unread')]),
    ])
    output.line(renderTable({ head, rows: table, ascii: !output.isTerminal, width: output.wrapAt }))
    output.line(`${plural(checks.length, 'grammar')}; see one with --shipped NAME, --choice and --reasoning.`)
  }
  const isFound = checks.some(({ check }) => typeof check === 'string' || check.findings.length > 0)
  return isFound ? EXIT.disagreement : EXIT.ok
}

function thoughtText(thinking: boolean | null): string {
  return thinking === true ? ', thought' : ''
}

function share(check: GrammarCheck, kind: 'refused' | 'unread'): string {
  const count = check.findings.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.count, 0)
  return `${count} of ${kind === 'refused' ? check.written : check.walked}`
}

function jsonOf({ row, check }: ShippedCheck): object {
  const { engine, release, name, format, choice, thinking } = row
  const about = { grammar: shippedName(row), engine, release, name, format, choice, thinking }
  return typeof check === 'string' ? { ...about, error: check } : { ...about, ...check }
}
