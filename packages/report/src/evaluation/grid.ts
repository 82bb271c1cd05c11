import type { EvalSummary, TaskCell } from '@callspec/eval'
import { foldingTable, sameWords } from '../folding-table.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import { episodesHref } from './episodes-href.ts'

/** Every task under every protocol: a cell says how often it was solved, and leads to its episodes. */
export function gridSection({ rows, grid }: EvalSummary): Html {
  const models = new Set(rows.map(({ model }) => model)).size
  return html`<section id="grid">
    <h2>${say({ en: 'Tasks', zh: '任务' })}</h2>
    <p class="quiet">
      ${say({ en: '✓ solved in every try, ◐ in some, ✗ in none, – never reached the model. A cell leads to its episodes.', zh: '✓ 每次都完成，◐ 部分完成，✗ 从未完成，– 没有得到模型回复。点击单元格查看运行。' })}
    </p>
    ${foldingTable({
      corner: { en: 'task', zh: '任务' },
      heads: rows.map(({ model, protocol }) => ({ words: sameWords(models > 1 ? `${model} ${protocol}` : protocol) })),
      groups: [
        {
          rows: grid.map(({ task, category, lang, cells }) => ({
            head: html`<code>${task}</code> <span class="quiet">${category}, ${lang}</span>`,
            cells: cells.map((cell, index) => gridCell(cell, task, rows[index])),
          })),
        },
      ],
    })}
  </section>`
}

function gridCell({ passed, of, infra }: TaskCell, task: string, row: EvalSummary['rows'][number] | undefined): Html {
  const [mark, look] =
    of === 0 ? ['–', 'quiet'] : passed === of ? ['✓', 'good'] : passed === 0 ? ['✗', 'bad'] : ['◐', 'warn']
  const { model = '', protocol = '' } = row ?? {}
  const name = `${task} ${model} ${protocol}: ${passed} / ${of}`
  return html`<a class="cell ${look}" href="${episodesHref({ model, protocol, task })}" aria-label="${name}"
      >${mark}${of > 1 && html` <small>${passed}/${of}</small>`}</a
    >${infra > 0 && html`<small title="infra">!${infra}</small>`}`
}
