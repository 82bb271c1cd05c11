import { formatId } from '../trace/format-names.ts'
import { apisOf } from '../trace/eval-api.ts'
import type { EvalApi } from '../trace/eval-api.ts'
import type { PlayedEpisode } from '../score/scores.ts'
import { settledScore } from '../summary/causes.ts'
import type { EvalSummary, GridTask, LedgerAgreement } from '../summary/eval-summary.ts'
import type { SummaryRow } from '../summary/row.ts'
import { allWarnings, timesOfRow } from '../summary/summarizer.ts'
import {
  rowCells,
  COLUMN_TEXTS,
  COLUMNS,
  counts,
  effortTable,
  FINE_ENDS,
  FINE_TURNS,
  rateText,
  selectionParts,
  causeText,
  comparisonText,
  endpointText,
  enginesText,
  MODEL_COLUMNS,
  modelDifferences,
  sensitivityText,
  sizeText,
  transportTexts,
} from './format.ts'
import type { InjectionRow } from '../summary/injection.ts'
import {
  INJECTION_COLUMNS,
  INJECTION_TEXTS,
  injectionCells,
  injectionOf,
  injectionTexts,
  injectionTitle,
} from './injection.ts'
import type { Conclusion } from './conclusion.ts'
import { conclusionsOf, breakageText, verdictText } from './conclusion.ts'
import { ledgerText } from '../summary/ledger-agreement.ts'
import { showHidden } from '../text/text.ts'
import { shortened } from '../text/excerpt.ts'
import { ignoredStopText } from './names.ts'

export interface ReportData {
  readonly title: string
  readonly summary: EvalSummary
  readonly episodes: readonly PlayedEpisode[]
  readonly hidden: number
}

/**
 * The report as Markdown: what was run, what to bear in mind, the tables of each model with what differs and who is to
 * blame, the tasks, every episode that failed. Text of models, suites and servers is escaped.
 */
export function renderMarkdown({ title, summary, episodes, hidden }: ReportData): string {
  const conclusions = conclusionsOf(summary)
  const failed = episodes.filter(({ score }) => !score.success)
  return [
    `# ${codeSpan(title)}`,
    '',
    ...runLines(summary),
    ...conclusions.flatMap((conclusion) => modelLines(conclusion, summary)),
    ...modelComparisonLines(summary),
    ...COLUMN_TEXTS.map((text) => `- ${text}`),
    '',
    ...taskLines(summary),
    ...transportLines(summary),
    ...ledgerLines(summary.ledger),
    `## Episodes without success: ${failed.length} of ${episodes.length}${hidden === 0 ? '' : ' shown'}`,
    '',
    ...failed.map(({ trace, score }) => failedItem({ trace, score: settledScore(score, summary.rows) })),
    ...(hidden === 0 ? [] : ['', `${hidden} more in episodes.jsonl.`]),
    '',
  ].join('\n')
}

const API_TEXTS: Readonly<Record<EvalApi, string>> = {
  chat: 'chat completions',
  completions: 'raw completions',
  messages: 'the API messages',
  responses: 'the API responses',
}

function runLines(summary: EvalSummary): readonly string[] {
  const { run, scorer, transport } = summary
  const warnings = allWarnings(summary)
  const suite = [run.suite.name, run.suite.version].filter((part) => part !== '').join(' ')
  const facts = [
    sizeText(run),
    `stop words ${run.stops}`,
    apisOf(run)
      .map((api) => API_TEXTS[api])
      .join(', '),
    ...(run.prompt === 'callspec' ? ['prompt callspec (not the makers’)'] : []),
    run.stream ? 'streamed' : 'not streamed',
    ...(suite === '' ? [] : [`suite ${plainWords(suite)}`]),
    `scorer ${scorer}`,
    ...(transport.engines === undefined ? [] : [plainWords(enginesText(transport))]),
  ]
  return [
    facts.join(' · '),
    '',
    ...warnings.map(({ text }) => `- ${plainWords(text)}`),
    ...(warnings.length > 0 ? [''] : []),
  ]
}

function modelLines({ model, verdict, breaks }: Conclusion, summary: EvalSummary): readonly string[] {
  const { rows, sensitivity } = summary
  const own = rows.filter((row) => row.model === model)
  const others = verdict.kind === 'winner' ? verdict.others.flatMap((each) => comparisonText(each) ?? []) : []
  const spread = sensitivity.filter((each) => each.model === model && each.metric === 'task_success')
  const effort = effortTable(own, (row) => timesOfRow(summary, row))
  return [
    `## ${codeSpan(model)}`,
    '',
    `**${verdictText(verdict)}** ${breakageText(breaks)}`,
    '',
    ...markdownTable(COLUMNS, own.map(rowCells)),
    '',
    ...markdownTable(effort.columns, effort.cells),
    '',
    ...[...others, ...spread.map((each) => `${sensitivityText(each)}.`)].map((text) => `- ${text}`),
    ...own.flatMap(brokenItems),
    '',
    ...injectionOf(summary, model).flatMap(injectionSection),
    ...groupLines(own),
  ]
}

function injectionSection(row: InjectionRow): readonly string[] {
  return [
    `### ${plainWords(injectionTitle(row))}`,
    '',
    ...markdownTable(INJECTION_COLUMNS, row.arms.map(injectionCells)),
    '',
    ...[...injectionTexts(row), ...INJECTION_TEXTS].map((text) => `- ${plainWords(text)}`),
    '',
  ]
}

function brokenItems(row: SummaryRow): readonly string[] {
  const turns = counts(row.strict, FINE_TURNS)
  const ends = counts(row.ends, FINE_ENDS)
  const repairs = counts(row.repairs, [])
  const parts = [
    selectionParts(row).join(', '),
    turns === '' ? '' : `turns: ${turns}`,
    repairs === '' ? '' : `repaired: ${repairs}`,
    ends === '' ? '' : `ends: ${ends}`,
    ignoredStopText(row),
  ].filter((part) => part !== '')
  const said = parts.length === 0 ? [] : [`- ${formatId(row.protocol)}: ${parts.join('; ')}`]
  const causes = row.blame.causes.slice(0, SHOWN_CAUSES)
  return [
    ...said,
    ...causes.map((cause) => `- ${formatId(row.protocol)}: ${causeText(cause)}: ${codeSpan(cause.example)}`),
  ]
}

const SHOWN_CAUSES = 8

function modelComparisonLines({ modelComparisons }: EvalSummary): readonly string[] {
  const all = modelDifferences(modelComparisons)
  if (all.length === 0) return []
  const rows = all
    .slice(0, SHOWN_TASKS)
    .map(([format = '', better = '', other = '', ...figures]) => [
      ...[format, plainWords(better), plainWords(other)],
      ...figures.map((text) => text.replace('*', '\\*')),
    ])
  return [
    `## Models, format by format: \\* marks a difference that is shown`,
    '',
    ...markdownTable(MODEL_COLUMNS, rows),
    '',
  ]
}

/** Success by category, a column per format. */
function groupLines(rows: readonly SummaryRow[]): readonly string[] {
  const names = [
    ...new Set(rows.flatMap(({ groups }) => groups.filter(({ by }) => by === 'category').map(({ name }) => name))),
  ]
  if (names.length < 2) return []
  const columns = [
    { head: 'success % by category', align: 'left' as const },
    ...rows.map(({ protocol }) => ({ head: formatId(protocol), align: 'right' as const })),
  ]
  const cells = names.map((name) => [
    plainWords(name),
    ...rows.map(({ groups }) => {
      const group = groups.find((each) => each.by === 'category' && each.name === name)
      return group === undefined ? '—' : rateText(group.rates.task_success)
    }),
  ])
  return [...markdownTable(columns, cells), '']
}

/** A report is for reading: all of them are in `summary.json`. */
const SHOWN_TASKS = 200

/** Tasks that some row did not always solve: `2/3` is two of three tries. */
function taskLines({ grid, rows }: EvalSummary): readonly string[] {
  const open = grid.filter(({ cells }) => cells.some(({ passed, of }) => passed < of))
  if (open.length === 0) return []
  const manyModels = new Set(rows.map(({ model }) => model)).size > 1
  const columns = [
    { head: 'task', align: 'left' as const },
    { head: 'category', align: 'left' as const },
    ...rows.map(({ model, protocol }) => ({
      head: manyModels ? `${plainWords(model)} ${formatId(protocol)}` : formatId(protocol),
      align: 'right' as const,
    })),
  ]
  return [
    `## Tasks that were not always solved: ${open.length} of ${grid.length}`,
    '',
    ...markdownTable(columns, open.slice(0, SHOWN_TASKS).map(taskCells)),
    ...(open.length > SHOWN_TASKS ? ['', `${open.length - SHOWN_TASKS} more in summary.json.`] : []),
    '',
  ]
}

function taskCells({ task, category, cells }: GridTask): readonly string[] {
  const text = cells.map(
    ({ passed, of, infra }) => `${of === 0 ? '—' : `${passed}/${of}`}${infra === 0 ? '' : ` (+${infra})`}`,
  )
  return [plainWords(task), plainWords(category), ...text]
}

/** How the replies were got, where there is something to say of it. */
function transportLines({ transport }: EvalSummary): readonly string[] {
  const lines = [...transport.endpoints.map(endpointText), ...transportTexts(transport)]
  return lines.length === 0 ? [] : ['## Endpoints', '', ...lines.map((line) => `- ${plainWords(line)}`), '']
}

function ledgerLines(ledger: LedgerAgreement | null): readonly string[] {
  if (ledger === null) return []
  const { differences } = ledger
  return [
    '## Ledger',
    '',
    `Measured as injected: ${ledgerText(ledger)}.`,
    '',
    ...differences.map((difference) => `- ${codeSpan(difference)}`),
    '',
  ]
}

const EXCERPT = 120

function failedItem({ trace, score }: PlayedEpisode): string {
  const { model, protocol, task, sample } = score.key
  const last = trace.turns.at(-1)
  const said = last?.failure?.message ?? shortened(last?.text ?? '', EXCERPT)
  const verdict = score.pass ? 'passed' : score.reasons.join(', ')
  const cause =
    score.attribution === null ? '' : `; ${score.attribution.blames}: ${codeSpan(score.attribution.evidence)}`
  return `- ${codeSpan(model)} ${formatId(protocol)} **${plainWords(task)}** seed ${sample}: **${score.end}**${cause}; verdict: ${codeSpan(verdict)}; last reply: ${codeSpan(said)}`
}

/**
 * Any text as a code span on one line: nothing in it is Markdown or HTML. The fence is longer than every run of
 * back-ticks inside. Do not put it into a table, where a bar would still count.
 */
export function codeSpan(text: string): string {
  const line = markdownLine(text)
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), (run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  // A span that begins or ends with a back-tick or is blank needs a space on both sides; Markdown takes it away again.
  const pad = line === '' || /^`|`$|^ .* $/.test(line) ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}

/** Any text as plain words, in a table too: every sign that could mean something is escaped. */
export function plainWords(text: string): string {
  return markdownLine(text).replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`)
}

/** A table; cells are Markdown. */
export function markdownTable(
  columns: readonly { readonly head: string; readonly align: 'left' | 'right' }[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(({ head }) => head)),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map(line),
  ]
}

function markdownLine(text: string): string {
  return showHidden(text).replaceAll(/[\n\t]+/g, () => ' ⏎ ')
}
