import type { Conclusion, EpisodeScore, EvalSummary, InjectionRow, SummaryRow } from '@callspec/eval'
import {
  allWarnings,
  breakageText,
  causeItems,
  COLUMN_TEXTS,
  COLUMNS,
  comparisonText,
  conclusionsOf,
  counts,
  effortTable,
  endpointText,
  FINE_ENDS,
  FINE_TURNS,
  INJECTION_COLUMNS,
  INJECTION_TEXTS,
  injectionLines,
  injectionOf,
  injectionTexts,
  injectionTitle,
  formatId,
  ledgerText,
  rowLines,
  MODEL_COLUMNS,
  modelDifferences,
  rowName,
  selectionParts,
  timesOfRow,
  transportTexts,
  verdictText,
} from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import { wrapHanging, wrapItems, wrapWords } from '../columns.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { renderTable, tableWidth } from '../table.ts'

/**
 * Prints per model the rates, their cost, the conclusion and the causes of failures; then notes.
 *
 * @param isVerbose whether the labels of all turns are counted
 */
export function printSummary(
  summary: EvalSummary,
  output: Output,
  { isVerbose = false }: { readonly isVerbose?: boolean } = {},
): void {
  output.line(inert(headLine(summary)))
  for (const conclusion of conclusionsOf(summary)) {
    const { model } = conclusion
    const rows = summary.rows.filter((row) => row.model === model)
    output.line()
    output.line(output.paint('bold', inert(model)))
    for (const part of tablesOf(summary, rows, output.columns)) table(part, output)
    for (const row of injectionOf(summary, model)) printInjection(row, output)
    for (const line of concluded(conclusion, output)) output.line(inert(line))
    for (const row of rows) for (const line of broken(row, isVerbose, output)) output.line(inert(line))
  }
  printModels(summary, output)
  output.line()
  for (const line of footer(summary, output)) output.line(line)
  printLedger(summary, output)
}

/** `2 models × 3 formats × 42 tasks × 3 seeds · stop words on · 756 of 756 episodes`. */
function headLine({ run, rows }: EvalSummary): string {
  const played = rows.reduce((sum, row) => sum + row.episodes, 0)
  const planned = run.models.length * run.protocols.length * run.tasks * run.repeat
  const size = [
    plural(run.models.length, 'model'),
    plural(run.protocols.length, 'format'),
    plural(run.tasks, 'task'),
    plural(run.repeat, 'seed'),
  ].join(' × ')
  const part =
    run.shard === null
      ? `${played} of ${plural(planned, 'episode')}`
      : `part ${run.shard.parts.join('+')}/${run.shard.of}`
  return `${size} · stop words ${run.stops}${run.prompt === 'callspec' ? ' · prompt callspec' : ''} · ${part}`
}

/** The columns of a table, and the lines of each row. */
interface TableOf {
  readonly columns: typeof COLUMNS
  readonly rows: readonly (readonly (readonly string[])[])[]
}

/** Comparison and effort: one table where the terminal is wide enough for it. */
function tablesOf(summary: EvalSummary, rows: readonly SummaryRow[], room: number): readonly TableOf[] {
  const columns = COLUMNS.map((each) => ({ ...each, head: each.head.replace(/ %$/, '') }))
  const comparison: TableOf = { columns, rows: rows.map(rowLines) }
  const effort = effortTable(rows, (row) => timesOfRow(summary, row))
  const both: TableOf = {
    columns: [...columns, ...effort.columns.slice(1)],
    rows: comparison.rows.map((lines, row) =>
      lines.map((cells, line) => [...cells, ...(line === 0 ? (effort.cells[row]?.slice(1) ?? []) : [])]),
    ),
  }
  const isWide = tableWidth([both.columns.map(({ head }) => head), ...both.rows.flat()]) <= room
  return isWide ? [both] : [comparison, { columns: effort.columns, rows: effort.cells.map((cells) => [cells]) }]
}

function table({ columns, rows }: TableOf, output: Output): void {
  output.line(
    renderTable({
      head: columns.map((column) => column.head),
      rows: rows.flat(),
      align: columns.map((column) => column.align),
      ascii: !output.isTerminal,
      width: Math.max(80, output.columns),
    }),
  )
}

/** What one format did with forged texts, arm by arm. */
function printInjection(row: InjectionRow, output: Output): void {
  for (const line of wrapWords(inert(injectionTitle(row)), output)) output.line(line)
  const rows = row.arms.map(injectionLines)
  table({ columns: INJECTION_COLUMNS, rows }, output)
  for (const text of injectionTexts(row)) for (const line of wrapHanging(inert(text), 2, output)) output.line(line)
}

const SHOWN_DIFFERENCES = 12

/** Differences between models, the largest first. */
function printModels({ modelComparisons }: EvalSummary, output: Output): void {
  const all = modelDifferences(modelComparisons)
  if (all.length === 0) return
  output.line()
  output.line(output.paint('bold', 'models compared'))
  output.line(
    renderTable({
      head: MODEL_COLUMNS.map(({ head }) => head),
      rows: all.slice(0, SHOWN_DIFFERENCES),
      align: MODEL_COLUMNS.map(({ align }) => align),
      ascii: !output.isTerminal,
      width: Math.max(80, output.columns),
    }),
  )
  if (all.length > SHOWN_DIFFERENCES) output.line(`${all.length - SHOWN_DIFFERENCES} more in report.html`)
}

function concluded({ verdict, breaks }: Conclusion, output: Output): readonly string[] {
  const others = verdict.kind === 'winner' ? verdict.others.flatMap((each) => comparisonText(each) ?? []) : []
  return [verdictText(verdict), breakageText(breaks), ...others].flatMap((text) => wrapWords(text, output))
}

/** Causes of failures in a row, the most frequent first, and the parts of calls that come in parts. */
function broken(row: SummaryRow, isVerbose: boolean, output: Output): readonly string[] {
  const told: readonly (readonly [label: string, items: readonly string[]])[] = [
    ['parts', selectionParts(row)],
    ['turns', isVerbose ? listItems(counts(row.strict, FINE_TURNS)) : []],
    ['ends', isVerbose ? listItems(counts(row.ends, FINE_ENDS)) : []],
    ['causes', causeItems(row)],
  ]
  return told.flatMap(([label, items]) =>
    items.length === 0 ? [] : wrapItems(`  ${formatId(row.protocol)} ${label}: `, items, output),
  )
}

function listItems(text: string): readonly string[] {
  return text === '' ? [] : text.split(', ')
}

function footer(summary: EvalSummary, output: Output): readonly string[] {
  const { run, rows, comparisons, modelComparisons = [] } = summary
  const sum = (count: (row: SummaryRow) => number): number => rows.reduce((total, row) => total + count(row), 0)
  const seeds = run.repeat === 1 ? `seed ${run.seed}` : `seeds ${run.seed} to ${run.seed + run.repeat - 1}`
  const { transport } = summary
  const ways = [...transport.endpoints.map(endpointText), ...transportTexts(transport)]
  const [infra, cached] = [sum((row) => row.infra), sum((row) => row.cachedTurns)]
  const told = [
    ...COLUMN_TEXTS,
    ...(summary.injection === undefined ? [] : INJECTION_TEXTS),
    `${seeds}; failed on the way ${infra}, cache hits ${cached}`,
    ...(comparisons.length + modelComparisons.length === 0
      ? []
      : ['differences: 95 % and p are adjusted for all comparisons of this run; *: significant']),
  ]
  return [
    ...told.flatMap((text) => wrapWords(text, output)),
    ...ways.flatMap((text) => wrapWords(inert(text), output)),
    ...allWarnings(summary).flatMap(({ text }) => wrapWords(inert(`note: ${text}`), output)),
  ]
}

const SHOWN_FAULTS = 5

function printLedger({ ledger }: EvalSummary, output: Output): void {
  if (ledger === null) return
  const { differences: found, turns, episodes } = ledger
  // Runs of older versions lack some counts.
  const isComplete = found.length === 0 && !Object.values(ledger).includes(null)
  const text = isComplete
    ? `all injected faults were found and attributed correctly: ${plural(turns, 'turn')}, ${plural(episodes, 'episode')}`
    : `scored as injected: ${ledgerText(ledger)}`
  for (const line of wrapWords(`self-check: ${text}`, output))
    output.line(found.length === 0 ? line : output.paint('red', line))
  for (const difference of found.slice(0, SHOWN_FAULTS)) output.line(`  ${quotedLine(difference, 200)}`)
  if (found.length > SHOWN_FAULTS) output.line(`  and ${found.length - SHOWN_FAULTS} more, in summary.json`)
}

/** Prints each unsolved episode: its end, what the verdict misses, and the cause. */
export function printFailed(scores: readonly EpisodeScore[], output: Output): void {
  const failed = scores.filter(({ success }) => !success)
  output.line()
  output.line(`${failed.length} of ${plural(scores.length, 'episode')} without success`)
  for (const { key, end, reasons, attribution } of failed) {
    output.line(inert(`${rowName(key)} ${key.task} seed ${key.sample}: ${[end, ...reasons].join(', ')}`))
    if (attribution === null) continue
    const { blames, rule, evidence } = attribution
    for (const line of wrapHanging(inert(`${rule} (${blames}): ${evidence}`), 2, output)) output.line(line)
  }
}
