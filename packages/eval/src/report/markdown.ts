import type { PlayedEpisode } from '../run/run-eval.ts'
import type { SummaryRow } from '../score/summarize.ts'
import { cellsOf, COLUMNS, counts, FINE_ENDS, FINE_TURNS } from './format.ts'
import type { LedgerAgreement } from './ledger-agreement.ts'
import { showHidden } from './show-hidden.ts'

/** What a report is made of. */
export interface ReportData {
  readonly title: string
  readonly rows: readonly SummaryRow[]
  readonly episodes: readonly PlayedEpisode[]
  /** Null for real models, which have none. */
  readonly ledger: LedgerAgreement | null
}

/** The report as Markdown: the tables, what broke, every episode that failed. Model text is escaped. */
export function renderMarkdown({ title, rows, episodes, ledger }: ReportData): string {
  const models = [...new Set(rows.map((row) => row.model))]
  const tables = models.map((model) => {
    const own = rows.filter((row) => row.model === model)
    return [`## ${escapeMarkdown(model)}`, '', ...table(own), '', ...own.flatMap(broken), ''].join('\n')
  })
  const failed = episodes.filter(({ score }) => !score.success)
  return [
    `# ${escapeMarkdown(title)}`,
    '',
    ...tables,
    ...ledgerLines(ledger),
    `## Episodes without success: ${failed.length} of ${episodes.length}`,
    '',
    ...failedTable(failed),
    '',
  ].join('\n')
}

/** Text that Markdown (and the HTML in it) shows as it is, on one line. */
export function escapeMarkdown(text: string): string {
  return showHidden(text)
    .replaceAll('&', () => '&amp;')
    .replaceAll('<', () => '&lt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~>$:@-]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/[\n\t]+/g, () => ' ⏎ ')
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
    ...differences.map((difference) => `- ${escapeMarkdown(difference)}`),
    '',
  ]
}

/** A report is for reading: the rest stands in `episodes.jsonl`. */
const SHOWN = 200
const EXCERPT = 120

function failedTable(failed: readonly PlayedEpisode[]): readonly string[] {
  if (failed.length === 0) return []
  const rows = failed.slice(0, SHOWN).map(({ trace, score }) => {
    const { model, protocol, task, sample } = score.key
    const last = trace.turns.at(-1)
    const said = last?.failure?.message ?? [...(last?.text ?? '')].slice(0, EXCERPT).join('')
    return `| ${[model, protocol, `${task} seed ${sample}`, score.end, score.reasons.join(', '), said].map(escapeMarkdown).join(' | ')} |`
  })
  const more = failed.length > SHOWN ? ['', `${failed.length - SHOWN} more in episodes.jsonl.`] : []
  return [
    '| model | protocol | task | end | verdict | last reply |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...more,
  ]
}
