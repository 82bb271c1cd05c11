import type { PlayedEpisode } from '../run/play-plan.ts'
import type { SummaryRow } from '../summary/row.ts'
import { cellsOf, COLUMNS, counts, FINE_ENDS, FINE_TURNS, selectionParts } from './format.ts'
import type { ReportData } from './markdown.ts'
import { showHidden } from './show-hidden.ts'

/** One page, nothing loaded, no script: tables, and every episode with what the model wrote. All text is escaped. */
export function renderHtml({ title, summary: { rows, ledger }, episodes, hidden }: ReportData): string {
  const models = [...new Set(rows.map((row) => row.model))]
  const ledgerText =
    ledger === null
      ? ''
      : `<p>Ledger: ${ledger.turnsAgreeing} of ${ledger.turns} turns and ${ledger.episodesAgreeing} of ${ledger.episodes} ends are as injected.</p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${ledgerText}
${models
  .map((model) =>
    summary(
      model,
      rows.filter((row) => row.model === model),
    ),
  )
  .join('\n')}
<h2>Episodes</h2>
<p>Those without success stand open.${hidden === 0 ? '' : ` ${hidden} more in episodes.jsonl.`}</p>
${episodes.map(episode).join('\n')}
</body>
</html>
`
}

/** Text that HTML shows as it is; what would be invisible or turn the reading direction is written as \\uXXXX. */
export function escapeHtml(text: string): string {
  return showHidden(text)
    .replaceAll('&', () => '&amp;')
    .replaceAll('<', () => '&lt;')
    .replaceAll('>', () => '&gt;')
    .replaceAll('"', () => '&quot;')
    .replaceAll("'", () => '&#39;')
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse } th, td { padding: .2em .8em; border-bottom: 1px solid #ccc; text-align: right }
th:first-child, td:first-child { text-align: left } details { margin: .3em 0 } summary { cursor: pointer }
pre { background: #f4f4f4; padding: .6em; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3em 0 }
.bad { color: #a00 } .note { color: #666 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } pre { background: #262626 } .bad { color: #f88 } }
`

function summary(model: string, rows: readonly SummaryRow[]): string {
  const head = COLUMNS.map((column) => `<th>${column.head}</th>`).join('')
  const body = rows
    .map(
      (row) =>
        `<tr>${cellsOf(row)
          .map((cell) => `<td>${escapeHtml(cell)}</td>`)
          .join('')}</tr>`,
    )
    .join('\n')
  const notes = rows.flatMap((row) => {
    const text = [selectionParts(row).join(', '), counts(row.strict, FINE_TURNS), counts(row.ends, FINE_ENDS)]
      .filter((part) => part !== '')
      .join('; ends: ')
    return text === '' ? [] : [`<li>${row.protocol}: ${escapeHtml(text)}</li>`]
  })
  return `<h2>${escapeHtml(model)}</h2>\n<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>\n<ul class="note">${notes.join('')}</ul>`
}

function episode({ trace, score }: PlayedEpisode): string {
  const { model, protocol, task, sample } = score.key
  const outcome = score.success
    ? 'success'
    : `<span class="bad">${escapeHtml([score.end, ...score.reasons].join(', '))}</span>`
  const turns = trace.turns.map((line, index) => {
    const labels = score.turns[index]
    const calls = trace.calls.filter((call) => call.turn === line.turn)
    const results = calls
      .map((call) => `<p class="note">${escapeHtml(call.name)} answered</p><pre>${escapeHtml(call.result)}</pre>`)
      .join('')
    const said =
      line.failure === null
        ? `<pre>${escapeHtml(line.text)}</pre>`
        : `<p class="bad">${escapeHtml(line.failure.message)}</p>`
    return `<p class="note">turn ${line.turn}: ${escapeHtml(`${labels?.strict ?? ''} / ${labels?.lenient ?? ''}`)}</p>${said}${results}`
  })
  return `<details${score.success ? '' : ' open'}><summary>${escapeHtml(`${model} ${protocol} ${task} seed ${sample}`)}: ${outcome}</summary>${turns.join('')}</details>`
}
