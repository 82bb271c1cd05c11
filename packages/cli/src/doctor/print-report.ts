import type { DoctorReport, ScriptFinding } from '@callspec/eval/doctor'
import { plural } from '@callspec/eval/text'
import { wrapHanging } from '../columns.ts'
import type { Output, Style } from '../output.ts'
import { inert } from '../output.ts'
import { renderTable } from '../table.ts'

const VERDICT_STYLES: Readonly<Record<ScriptFinding['verdict'], Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
}

/**
 * Prints a table of the scripts, every finding with what to change (`unknown` last), and what to fix.
 *
 * @param isNamed whether the user named the model; else the findings say which others there are
 */
export function printReport(
  { baseUrl, model, findings, scripts }: DoctorReport,
  output: Output,
  { isNamed }: { readonly isNamed: boolean },
): void {
  output.line(output.paint('bold', inert(`${model ?? 'no model'} at ${baseUrl}`)))
  const rows = (scripts ?? []).map((row) => [scriptName(row), row.whole.verdict, row.streamed.verdict])
  if (rows.length > 0)
    output.line(
      renderTable({ head: ['script', 'whole', 'streamed'], rows, ascii: !output.isTerminal, width: output.wrapAt }),
    )
  const entries = [
    ...findings.map(({ check, ...finding }) => ({ name: check, finding })),
    ...(scripts ?? []).flatMap((row) => {
      const [name, { whole, streamed }] = [scriptName(row), row]
      return whole.verdict === streamed.verdict && whole.evidence === streamed.evidence
        ? [{ name, finding: whole }]
        : [
            { name: `${name} (whole)`, finding: whole },
            { name: `${name} (streamed)`, finding: streamed },
          ]
    }),
  ]
  // Scripts without a finding are in the table.
  printFindings(
    entries.filter(
      ({ name, finding }) => scripts === null || finding.verdict !== 'ok' || (name === 'model' && !isNamed),
    ),
    output,
  )
}

/** `messages: one-call`; of chat the script alone. */
function scriptName({ script, api }: NonNullable<DoctorReport['scripts']>[number]): string {
  return api === undefined ? script : `${api}: ${script}`
}

/** Prints findings, those alike together and `unknown` last, then the names of what has to be fixed. */
export function printFindings(listed: readonly NamedFinding[], output: Output): void {
  const isUnknown = ([first]: FindingGroup): boolean => first.finding.verdict === 'unknown'
  const groups = groupFindings(listed).toSorted((one, other) => Number(isUnknown(one)) - Number(isUnknown(other)))
  const width = Math.max(16, ...groups.map(([{ name }]) => name.length + 1))
  for (const group of groups) for (const line of findingLines(group, width, output)) output.line(line)
  const toFix = groups.flatMap(([{ name, finding }]) => (finding.verdict === 'fail' ? [name] : []))
  const last = toFix.length === 0 ? 'Nothing to fix.' : `${plural(toFix.length, 'thing')} to fix: ${toFix.join(', ')}`
  for (const line of wrapHanging(last, 0, output)) output.line(line)
}

/** A finding and what it is about. */
export interface NamedFinding {
  readonly name: string
  readonly finding: ScriptFinding
}

type FindingGroup = readonly [NamedFinding, ...NamedFinding[]]

/** Groups findings by verdict and remedy, or evidence where there is no remedy; `ok` ones are separate. */
function groupFindings(entries: readonly NamedFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, [NamedFinding, ...NamedFinding[]]>()
  for (const entry of entries) {
    const { verdict, evidence, whatToChange } = entry.finding
    const key = JSON.stringify([verdict, whatToChange ?? evidence, verdict === 'ok' ? entry.name : ''])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups.values()]
}

function findingLines([first, ...others]: FindingGroup, width: number, output: Output): readonly string[] {
  const { verdict, evidence, whatToChange } = first.finding
  const texts = [
    evidence,
    ...(others.length === 0 ? [] : [`Same result in ${namesText(others)}.`]),
    ...(whatToChange === null ? [] : [`→ ${whatToChange}`]),
  ]
  const [line = '', ...rest] = texts.flatMap((text) => wrapHanging(inert(text), 9 + width, output))
  return [
    `${output.paint(VERDICT_STYLES[verdict], verdict.padEnd(8))} ${first.name.padEnd(width)}${line.trimStart()}`,
    ...rest,
  ]
}

const MOST_NAMES = 20

function namesText(findings: readonly NamedFinding[]): string {
  const names = findings.slice(0, MOST_NAMES).map(({ name }) => name)
  const more = findings.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
