import type { QuickReport, ScriptFinding } from '@callspec/eval'
import { wrapHanging } from '../eval/wrap-items.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { inert } from '../terminal.ts'
import { toFixText, VERDICT_STYLES } from './verdict-styles.ts'

const INDENT = 9

/** The table of the ten scripts, and below it everything that is not well, with what to change. */
export function printQuick({ baseUrl, model, findings, scripts }: QuickReport, output: Output): void {
  output.line(output.paint('bold', inert(`${model ?? 'no model'} at ${baseUrl}`)))
  const rows = scripts.map(({ script, whole, streamed }) => [script, whole.verdict, streamed.verdict])
  if (rows.length > 0)
    output.line(
      renderTable({ head: ['script', 'whole', 'streamed'], rows, ascii: !output.isTerminal, width: output.wrapAt }),
    )
  const entries = [
    ...findings.map(({ check, ...finding }) => ({ what: check, finding })),
    ...scripts.flatMap(({ script, whole, streamed }) =>
      isAlike(whole, streamed)
        ? [{ what: script, finding: whole }]
        : [
            { what: `${script} (whole)`, finding: whole },
            { what: `${script} (streamed)`, finding: streamed },
          ],
    ),
  ]
  const groups = groupsOf(entries).toSorted(([one], [other]) => rank(one) - rank(other))
  for (const group of groups) explain(group, output)
  // What has one remedy is one thing.
  const toFix = groups.flatMap(([first]) => (first?.finding.verdict === 'fail' ? [first.what] : []))
  for (const line of wrapHanging(toFixText(toFix), 0, output)) output.line(line)
}

function isAlike(one: ScriptFinding, other: ScriptFinding): boolean {
  return one.verdict === other.verdict && one.evidence === other.evidence
}

/** What nobody knows follows what matters. */
function rank(entry: Entry | undefined): number {
  return RANKS.indexOf(entry?.finding.verdict ?? 'unknown')
}

const RANKS: readonly ScriptFinding['verdict'][] = ['fail', 'warn', 'unknown']

interface Entry {
  readonly what: string
  readonly finding: ScriptFinding
}

/** Everything that is not well, those together that are mended in the same way. */
function groupsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { verdict, evidence, whatToChange } = entry.finding
    if (verdict === 'ok') continue
    const key = JSON.stringify([verdict, whatToChange ?? evidence])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups.values()]
}

function explain([first, ...others]: readonly Entry[], output: Output): void {
  if (first === undefined) return
  const { verdict, evidence, whatToChange } = first.finding
  const also = others.length === 0 ? [] : [`So ${others.map(({ what }) => what).join(', ')}.`]
  const texts = [`${first.what}: ${evidence}`, ...also, ...(whatToChange === null ? [] : [`→ ${whatToChange}`])]
  const [line = '', ...rest] = texts.flatMap((text) => wrapHanging(inert(text), INDENT, output))
  output.line(`${output.paint(VERDICT_STYLES[verdict] ?? 'dim', verdict.padEnd(INDENT - 1))} ${line.trimStart()}`)
  for (const each of rest) output.line(each)
}
