import type { EvalSummary, TaskCell } from '@callspec/eval'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'

/** Every task under every protocol: a cell says how often it was solved, and leads to its episodes. */
export function gridSection({ rows, grid }: EvalSummary): Html {
  return html`<section id="grid">
    <h2>${say({ en: 'Tasks', zh: '任务' })}</h2>
    <p class="quiet">
      ${say({ en: '✓ solved in every try, ◐ in some, ✗ in none, – never reached the model. A cell leads to its episodes.', zh: '✓ 每次都完成，◐ 部分完成，✗ 从未完成，– 没有得到模型回复。点击单元格查看运行。' })}
    </p>
    <table class="grid">
      <thead>
        <tr>
          <th scope="col">${say({ en: 'task', zh: '任务' })}</th>
          <th scope="col" class="text">${say({ en: 'category', zh: '类别' })}</th>
          ${rows.map(({ model, protocol }) => html`<th scope="col">${model}<br /><code>${protocol}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${grid.map(
          ({ task, category, lang, cells }) =>
            html`<tr>
              <th scope="row"><code>${task}</code></th>
              <td class="text quiet">${category}, ${lang}</td>
              ${cells.map((cell, index) => gridCell(cell, task, rows[index]))}
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`
}

function gridCell({ passed, of, infra }: TaskCell, task: string, row: EvalSummary['rows'][number] | undefined): Html {
  const [mark, look] =
    of === 0 ? ['–', 'none'] : passed === of ? ['✓', 'all'] : passed === 0 ? ['✗', 'no'] : ['◐', 'some']
  const name = `${task} ${row?.model ?? ''} ${row?.protocol ?? ''}: ${passed} / ${of}`
  return html`<td class="cell cell-${look}">
    <button
      type="button"
      data-show-episodes="${JSON.stringify([row?.model ?? '', row?.protocol ?? '', task])}"
      aria-label="${name}"
    >
      ${mark}${of > 1 && html` <small>${passed}/${of}</small>`}</button
    >${infra > 0 && html`<small title="infra">!${infra}</small>`}
  </td>`
}
