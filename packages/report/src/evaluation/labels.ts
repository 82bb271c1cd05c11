import { END_LABELS, TURN_LABELS } from '@callspec/eval'
import type { EvalSummary } from '@callspec/eval'
import { stackedBars } from '../charts/stacked-bars.ts'
import type { StackedBar, StackedChart } from '../charts/stacked-bars.ts'
import { foldingTable, sameWords } from '../folding-table.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import { rowName } from './cells.ts'
import { LABEL_NAMES } from './names.ts'

/** What every turn and every episode came to, as stacked bars and as a table. */
export function labelsSection({ rows }: EvalSummary): Html {
  return html`<section id="labels">
    <h2>${say({ en: 'What the replies were', zh: '回复的类别' })}</h2>
    ${counted(
      rows.map((row) => ({ name: rowName(row), counts: row.strict })),
      {
        label: { en: 'Replies by what they were, read strictly', zh: '回复标签（严格）' },
        order: TURN_LABELS,
        names: LABEL_NAMES.turns,
        fine: FINE_TURNS,
      },
    )}
    <h2>${say({ en: 'How the episodes ended', zh: '运行如何结束' })}</h2>
    ${counted(
      rows.map((row) => ({ name: rowName(row), counts: row.ends })),
      {
        label: { en: 'Episodes by how they ended', zh: '结束标签' },
        order: END_LABELS,
        names: LABEL_NAMES.ends,
        fine: FINE_ENDS,
      },
    )}
  </section>`
}

/** Labels that say that nothing is wrong. */
export const FINE_TURNS: ReadonlySet<string> = new Set(['well_formed', 'final_answer', 'no_tool_text'])
/** Ends that are clean. */
export const FINE_ENDS: ReadonlySet<string> = new Set(['final_answer', 'no_tool_stop'])

/** A chart and the same as a table. */
function counted(bars: readonly StackedBar[], chart: Omit<StackedChart, 'bars'>): Html {
  const used = chart.order.filter((name) => bars.some(({ counts }) => (counts[name] ?? 0) > 0))
  return html`${stackedBars({ ...chart, bars })}
    <details>
      <summary>${say({ en: 'The same as a table', zh: '以表格显示' })}</summary>
      ${foldingTable({
        corner: { en: 'model, format', zh: '模型、格式' },
        heads: used.map((name) => ({ words: chart.names[name] ?? sameWords(name) })),
        groups: [
          { rows: bars.map(({ name, counts }) => ({ head: name, cells: used.map((label) => counts[label] ?? 0) })) },
        ],
      })}
    </details>`
}
