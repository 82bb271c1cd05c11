import type { EvalSummary, TaskCell, Rate } from '@callspec/eval'
import { realFirst, boundsText, formatId, rowName } from '@callspec/eval'
import { foldingTable, isWide, sameWords } from '../folding-table.ts'
import type { Html } from '../html.ts'
import { html, say } from '../html.ts'
import { episodesHref } from './page-data.ts'

/** Every task under every format: a cell says how often it was solved, and leads to its episodes. Many columns get a table per model. */
export function gridSection({ rows, grid }: EvalSummary): Html {
  const models = realFirst([...new Set(rows.map(({ model }) => model))])
  const places = rows.map((_, at) => at)
  const tables =
    models.length > 1 && isWide(rows.length)
      ? models.map(
          (model) =>
            html`<h3>${model}</h3>
              ${gridTable(
                grid,
                places.filter((at) => rows[at]?.model === model),
                { rows, isOneModel: true },
              )}`,
        )
      : [gridTable(grid, places, { rows, isOneModel: models.length === 1 })]
  return html`<section id="grid">
    <h2>${say({ en: 'Tasks', zh: '任务' })}</h2>
    <p class="quiet">
      ${say({ en: '✓ solved in every try, ◐ in some, ✗ in none, – never reached the model. A cell leads to its episodes.', zh: '✓ 每次都完成，◐ 部分完成，✗ 从未完成，– 没有得到模型回复。点击单元格查看回合。' })}
    </p>
    ${tables}
  </section>`
}

/** Tasks that a page shows at first; a browser takes long to lay out thousands of rows. */
const FIRST_TASKS = 100

interface GridParts {
  readonly rows: EvalSummary['rows']
  readonly isOneModel: boolean
}

/** The first tasks, and the others when the reader asks for them. */
function gridTable(grid: EvalSummary['grid'], places: readonly number[], parts: GridParts): Html {
  const more = grid.slice(FIRST_TASKS)
  const first = tasksTable(grid.slice(0, FIRST_TASKS), places, parts)
  if (more.length === 0) return first
  return html`${first}
    <div data-more="${more.length}"><noscript>${tasksTable(more, places, parts)}</noscript></div>`
}

/** The columns of some rows of the summary, by their places. */
function tasksTable(grid: EvalSummary['grid'], places: readonly number[], { rows, isOneModel }: GridParts): Html {
  return foldingTable({
    corner: { en: 'task', zh: '任务' },
    heads: places.map((at) => {
      const { model = '', protocol = '' } = rows[at] ?? {}
      return { words: sameWords(isOneModel ? formatId(protocol) : rowName({ model, protocol })) }
    }),
    groups: [
      {
        rows: grid.map(({ task, category, lang, cells }) => ({
          head: html`<code>${task}</code> <span class="quiet whole">${category}, ${lang}</span>`,
          cells: places.map((at) => gridCell(cells[at], task, rows[at])),
        })),
      },
    ],
  })
}

function gridCell(cell: TaskCell | undefined, task: string, row: EvalSummary['rows'][number] | undefined): Html {
  const { passed, of, infra } = cell ?? { passed: 0, of: 0, infra: 0 }
  const [mark, look] =
    of === 0 ? ['–', 'quiet'] : passed === of ? ['✓', 'good'] : passed === 0 ? ['✗', 'bad'] : ['◐', 'warn']
  const { model = '', protocol = '' } = row ?? {}
  const name = `${task} ${rowName({ model, protocol })}: ${passed} / ${of}`
  return html`<a
      class="cell ${look}"
      href="${episodesHref({ model, protocol: formatId(protocol), task })}"
      aria-label="${name}"
      >${mark}${of > 1 && html` <small>${passed}/${of}</small>`}</a
    >${infra > 0 && html`<small title="infra">!${infra}</small>`}`
}

/** `93.1 90.1–95.2 270/290`; a dash where there was nothing to count. */
export function rateCell({ rate, interval, hits, of }: Rate): Html {
  if (rate === null || interval === null) return html`—`
  return html`<strong>${(rate * 100).toFixed(1)}</strong> <span class="quiet whole">${boundsText({ interval })}</span>
    <span class="quiet whole">${hits}/${of}</span>`
}

/** A number with so many digits; a dash for none. What is rounded to zero has no sign. */
export function decimalText(value: number | null, digits: number): string {
  return value === null ? '—' : value.toFixed(digits).replace(/^-(?=[0.]*$)/, '')
}

/** A p value as a number; small ones as a bound. */
export function probabilityText(p: number): string {
  if (p < 0.001) return '< 0.001'
  return p >= 0.9995 ? '1' : p.toFixed(3)
}

/** Unknown is a word, never 0. */
export function unknownCost(cost: number | null): Html {
  if (cost === null) return say({ en: 'unknown', zh: '未知' })
  return html`${cost === 0 || cost >= 1 ? cost.toFixed(2) : cost.toPrecision(2)}`
}
