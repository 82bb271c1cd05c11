import { END_LABELS, TURN_LABELS } from '@callspec/eval'
import type { EvalSummary } from '@callspec/eval'
import { stackedBars } from '../charts/stacked-bars.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import { rowName } from './cells.ts'

/** What every turn and every episode came to, as stacked bars and as a table. */
export function labelsSection({ rows }: EvalSummary): Html {
  return html`<section id="labels">
    <h2>${say({ en: 'What the replies were', zh: '回复的类别' })}</h2>
    ${stackedBars({
      label: { en: 'Turn labels, strict', zh: '回复标签（严格）' },
      order: TURN_LABELS,
      fine: FINE_TURNS,
      bars: rows.map((row) => ({ name: rowName(row), counts: row.strict })),
    })}
    ${countsTable(
      rows.map((row) => ({ name: rowName(row), counts: row.strict })),
      TURN_LABELS,
    )}
    <h2>${say({ en: 'How the episodes ended', zh: '运行如何结束' })}</h2>
    ${stackedBars({
      label: { en: 'End labels', zh: '结束标签' },
      order: END_LABELS,
      fine: FINE_ENDS,
      bars: rows.map((row) => ({ name: rowName(row), counts: row.ends })),
    })}
    ${countsTable(
      rows.map((row) => ({ name: rowName(row), counts: row.ends })),
      END_LABELS,
    )}
  </section>`
}

/** Labels that say that nothing is wrong. */
export const FINE_TURNS: ReadonlySet<string> = new Set(['well_formed', 'final_answer', 'no_tool_text'])
/** Ends that are clean. */
export const FINE_ENDS: ReadonlySet<string> = new Set(['final_answer', 'no_tool_stop'])

interface Counted {
  readonly name: string
  readonly counts: Readonly<Partial<Record<string, number>>>
}

function countsTable(rows: readonly Counted[], order: readonly string[]): Html {
  const used = order.filter((name) => rows.some(({ counts }) => (counts[name] ?? 0) > 0))
  return html`<details>
    <summary>${say({ en: 'The same as a table', zh: '以表格显示' })}</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">${say({ en: 'model, format', zh: '模型、格式' })}</th>
          ${used.map((name) => html`<th scope="col"><code>${name}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, counts }) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${used.map((label) => html`<td>${counts[label] ?? 0}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </details>`
}
