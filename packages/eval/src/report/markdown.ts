import type { PlayedEpisode } from '../run/play-plan.ts'
import type { SummaryRow } from '../summary/row.ts'
import { cellsOf, COLUMNS, counts, FINE_ENDS, FINE_TURNS, selectionParts } from './format.ts'
import type { EvalSummary, LedgerAgreement } from '../summary/eval-summary.ts'
import { showHidden } from './show-hidden.ts'

/** What a report is made of. */
export interface ReportData {
  readonly title: string
  readonly summary: EvalSummary
  /** Those that are shown. */
  readonly episodes: readonly PlayedEpisode[]
  /** How many others there are. */
  readonly hidden: number
}

/** The report as Markdown: the tables, what broke, every episode that failed. Model text is escaped. */
export function renderMarkdown({ title, summary: { rows, ledger }, episodes }: ReportData): string {
  const models = [...new Set(rows.map((row) => row.model))]
  const tables = models.map((model) => {
    const own = rows.filter((row) => row.model === model)
    return [`## ${codeSpan(model)}`, '', ...table(own), '', ...own.flatMap(broken), ''].join('\n')
  })
  const failed = episodes.filter(({ score }) => !score.success)
  return [
    `# ${codeSpan(title)}`,
    '',
    ...tables,
    ...ledgerLines(ledger),
    `## Episodes without success: ${failed.length} of ${episodes.length}`,
    '',
    ...failedList(failed),
    '',
  ].join('\n')
}

/**
 * Any text as a code span on one line: nothing in it is Markdown or HTML. The fence is longer than every run of
 * back-ticks inside. Do not put it into a table, where a bar would still count.
 */
export function codeSpan(text: string): string {
  const line = showHidden(text).replaceAll(/[\n\t]+/g, () => ' ⏎ ')
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), (run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  // A span that begins or ends with a back-tick or is blank needs a space on both sides; Markdown takes it away again.
  const pad = line === '' || /^`|`$|^ .* $/.test(line) ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}

function table(rows: readonly SummaryRow[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(COLUMNS.map((column) => column.head)),
    line(COLUMNS.map((column) => (column.align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(cellsOf(row))),
  ]
}

function broken(row: SummaryRow): readonly string[] {
  const turns = counts(row.strict, FINE_TURNS)
  const ends = counts(row.ends, FINE_ENDS)
  const repairs = counts(row.repairs, [])
  const parts = [
    selectionParts(row).join(', '),
    turns === '' ? '' : `turns: ${turns}`,
    repairs === '' ? '' : `repaired: ${repairs}`,
    ends === '' ? '' : `ends: ${ends}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? [] : [`- ${row.protocol}: ${parts.join('; ')}`]
}

function ledgerLines(ledger: LedgerAgreement | null): readonly string[] {
  if (ledger === null) return []
  const { turns, turnsAgreeing, episodes, episodesAgreeing, differences } = ledger
  return [
    '## Ledger',
    '',
    `${turnsAgreeing} of ${turns} turns and ${episodesAgreeing} of ${episodes} ends are as injected.`,
    '',
    ...differences.map((difference) => `- ${codeSpan(difference)}`),
    '',
  ]
}

/** A report is for reading: the rest stands in `episodes.jsonl`. */
const SHOWN = 200
const EXCERPT = 120

function failedList(failed: readonly PlayedEpisode[]): readonly string[] {
  const items = failed.slice(0, SHOWN).map(({ trace, score }) => {
    const { model, protocol, task, sample } = score.key
    const last = trace.turns.at(-1)
    const said = last?.failure?.message ?? excerpt(last?.text ?? '')
    const verdict = score.pass ? 'passed' : score.reasons.join(', ')
    return `- ${codeSpan(model)} ${protocol} **${task}** seed ${sample}: **${score.end}**; verdict: ${codeSpan(verdict)}; last reply: ${codeSpan(said)}`
  })
  return failed.length > SHOWN ? [...items, '', `${failed.length - SHOWN} more in episodes.jsonl.`] : items
}

function excerpt(text: string): string {
  const characters = [...text.slice(0, 2 * EXCERPT)]
  return characters.length > EXCERPT ? `${characters.slice(0, EXCERPT - 1).join('')}…` : characters.join('')
}
