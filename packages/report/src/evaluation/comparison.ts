import type { EvalSummary, PairedTest, Rate, SummaryRow } from '@callspec/eval'
import { realFirst, sizeOfRow, timesOfRow, formatId, rowName } from '@callspec/eval'
import { intervalChart } from '../charts/intervals.ts'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { Html, Words } from '../html.ts'
import { html, say } from '../html.ts'
import { METRIC_NAMES, rangeWords, triesWords } from './names.ts'
import { decimalText, probabilityText, rateCell, unknownCost } from './grid.ts'

const SYNTAX: Words = { en: 'call could be read (syntax)', zh: '调用可读（语法）' }
const VALID: Words = { en: 'valid call (parse, with repairs)', zh: '有效调用（含修复）' }
const STRICT: Words = { en: 'valid call without a repair (strict)', zh: '有效调用，无需修复（严格）' }
const CLEAN_STOP: Words = { en: 'clean stop', zh: '正常结束' }
const SUCCESS: Words = { en: 'success', zh: '成功' }

/** Every model under every format: the shares with their intervals, drawn and as a table, and what it took. */
export function comparisonSection(summary: EvalSummary): Html {
  const { rows } = summary
  return html`<section id="comparison">
    <h2>${say({ en: 'Comparison', zh: '对比' })}</h2>
    ${intervalChart({
      label: { en: 'Shares with 95 % intervals', zh: '比例及 95% 置信区间' },
      series: [SYNTAX, VALID, STRICT, SUCCESS],
      lines: rows.map((row) => ({
        name: rowName(row),
        estimates: sharesOf(row.rates),
      })),
    })}
    ${modelsTable(rows)} ${sharesTable(rows)}
    <h3>${say({ en: 'What it took', zh: '代价' })}</h3>
    ${effortTable(summary)}
  </section>`
}

/** Models next to each other: success in each format; the best of a format is marked. Null for one model. */
function modelsTable(rows: readonly SummaryRow[]): Html | null {
  const models = realFirst([...new Set(rows.map(({ model }) => model))])
  const protocols = [...new Set(rows.map(({ protocol }) => protocol))]
  if (models.length < 2) return null
  const successOf = (model: string, protocol: string): Rate | null =>
    rows.find((row) => row.model === model && row.protocol === protocol)?.rates.task_success ?? null
  return html`<h3>${say({ en: 'Models side by side', zh: '模型对照' })}</h3>
    ${foldingTable({
      caption: {
        en: 'Success in per cent, with the 95 % interval by task. ▲: highest of the format; whether a difference is shown is in the comparison pair by pair.',
        zh: '成功率（百分比）及按任务计算的 95% 置信区间。▲：该格式中最高；差异是否显著见两两对比。',
      },
      corner: { en: 'format', zh: '格式' },
      heads: models.map((model) => ({ words: sameWords(model) })),
      groups: [
        {
          rows: protocols.map((protocol) => {
            const rates = models.map((model) => successOf(model, protocol))
            const best = Math.max(...rates.map((each) => each?.rate ?? -1))
            const isTied = rates.every((each) => each === null || each.rate === best)
            return {
              head: html`<code>${formatId(protocol)}</code>`,
              cells: rates.map((each) =>
                each === null ? '—' : html`${each.rate === best && !isTied && '▲ '}${rateCell(each)}`,
              ),
            }
          }),
        },
      ],
    })}`
}

function sharesTable(rows: readonly SummaryRow[]): Html {
  return rowTable(rows, {
    caption: {
      en: 'Per cent with the 95 % interval by task, then what was counted: of the replies that meant a call in the first three columns, of the episodes in the others. n: tasks × tries.',
      zh: '百分比及按任务计算的 95% 置信区间，随后是计数：前三列的分母是想要调用工具的回复，其余为回合数。n：任务数 × 尝试次数。',
    },
    heads: [SYNTAX, VALID, STRICT, SUCCESS, CLEAN_STOP, { en: 'runaway', zh: '失控' }, { en: 'n', zh: 'n' }],
    cells: (row) => [
      ...[...sharesOf(row.rates), row.rates.clean_stop_rate, row.rates.runaway_rate].map(rateCell),
      html`<span class="whole">${sizeOfRow(row)}</span>`,
    ],
  })
}

function sharesOf(rates: SummaryRow['rates']): readonly Rate[] {
  return [rates.syntax_rate, rates.parse_rate, rates.strict_parse_rate, rates.task_success]
}

function effortTable(summary: EvalSummary): Html {
  const hasCost = summary.rows.some(({ figures }) => figures.cost !== null)
  return rowTable(summary.rows, {
    caption: {
      en: 'Means per episode; calls per success: calls of solved episodes alone; times are those of single replies.',
      zh: '每个回合的平均值；“每次成功的调用”只计成功的回合；时间为单次回复的时间。',
    },
    heads: [
      { en: 'calls per episode', zh: '每个回合的调用' },
      { en: 'calls per success', zh: '每次成功的调用' },
      { en: 'turns', zh: '轮数' },
      { en: 'prompt tokens', zh: '提示词 token' },
      { en: 'reply tokens', zh: '回复 token' },
      { en: 'p50 / p95 ms', zh: 'p50 / p95 毫秒' },
      ...(hasCost ? [{ en: 'cost', zh: '费用' }] : []),
    ],
    cells: (row) => {
      const { figures } = row
      const times = timesOfRow(summary, row)
      return [
        decimalText(figures.calls_per_episode, 2),
        decimalText(figures.calls_per_success, 2),
        decimalText(figures.turns_per_episode, 2),
        decimalText(figures.prompt_tokens, 0),
        decimalText(figures.completion_tokens, 0),
        `${decimalText(times.turn_ms_p50, 0)} / ${decimalText(times.turn_ms_p95, 0)}`,
        ...(hasCost ? [unknownCost(figures.cost)] : []),
      ]
    },
  })
}

interface RowTable {
  readonly caption: Words
  readonly heads: readonly Words[]
  readonly cells: (row: SummaryRow) => readonly (Html | string)[]
}

/** A line for every model and format. */
function rowTable(rows: readonly SummaryRow[], { caption, heads, cells }: RowTable): Html {
  return foldingTable({
    caption,
    corner: { en: 'model, format', zh: '模型、格式' },
    heads: heads.map((words) => ({ words })),
    groups: [
      {
        rows: rows.map((row) => ({
          head: html`${row.model} <code>${formatId(row.protocol)}</code>`,
          cells: cells(row),
        })),
      },
    ],
  })
}

/** Two models in one format, and two formats of one model, against each other, pair by pair. */
export function pairsSection({ comparisons, modelComparisons = [] }: EvalSummary): Html | null {
  const linesOf = (head: Html, tests: readonly PairedTest[]): readonly PairLine[] =>
    tests.filter(({ metric, effect }) => effect !== null && SHOWN_METRICS.has(metric)).map((test) => ({ head, test }))
  const lines = [
    ...modelComparisons.flatMap(({ protocol, left, right, tests }) =>
      linesOf(html`<code>${formatId(protocol)}</code> ${left} − ${right}`, tests),
    ),
    ...comparisons.flatMap(({ model, left, right, tests }) =>
      linesOf(html`${model} <code>${formatId(left)}</code> − <code>${formatId(right)}</code>`, tests),
    ),
  ]
  if (lines.length === 0) return null
  const shown = lines.filter(({ test }) => test.isShown)
  const tables =
    lines.length <= MOST_LINES
      ? pairTable(lines)
      : html`<p>
            ${say(shown.length === 0 ? { en: 'None of {count} comparisons shows a difference.', zh: '{count} 项比较均未显示差异。' } : { en: '{shown} of {count} comparisons show a difference.', zh: '{count} 项比较中有 {shown} 项显示差异。' }, { shown: shown.length, count: lines.length })}
          </p>
          ${shown.length > 0 && pairTable(shown)}
          <details>
            <summary>${say({ en: 'All of them', zh: '全部比较' })}</summary>
            ${pairTable(lines)}
          </details>`
  return html`<section id="pairs">
    <h2>
      ${say(modelComparisons.length === 0 ? { en: 'Formats, pair by pair', zh: '格式两两对比' } : { en: 'Models and formats, pair by pair', zh: '模型与格式两两对比' })}
    </h2>
    ${tables}
  </section>`
}

/** Where there are more, those that show nothing are folded. */
const MOST_LINES = 60

interface PairLine {
  /** What is compared. */
  readonly head: Html
  readonly test: PairedTest
}

function pairTable(lines: readonly PairLine[]): Html {
  return foldingTable({
    caption: {
      en: 'Same tasks, same seeds, one difference per task: left minus right, mean over tasks, with its 95 % interval over all comparisons of the run. p: exact sign-flip test after Holm over all of them; ★: below 0.05.',
      zh: '同一批任务、同样的种子，每个任务一个差值：左减右，取任务平均；95% 置信区间对本次运行的所有比较同时成立。p：精确符号翻转检验，对所有比较做 Holm 校正；★：小于 0.05。',
    },
    corner: { en: 'compared', zh: '对比' },
    heads: [
      { words: { en: 'figure', zh: '指标' }, isText: true },
      { words: { en: 'difference', zh: '差值' } },
      { words: { en: 'tasks: left / right higher', zh: '任务数：左高 / 右高' } },
      { words: { en: 'n', zh: 'n' } },
      { words: { en: 'p', zh: 'p' } },
    ],
    groups: [
      {
        rows: lines.map(({ head, test }) => ({ head, cells: pairCells(test) })),
      },
    ],
  })
}

function pairCells(test: PairedTest): readonly (Html | string)[] {
  const scale = test.isShare ? 100 : 1
  const text = (value: number): string => decimalText(value * scale, test.isShare ? 1 : 2)
  const range = test.interval === null ? null : rangeWords(test.interval.map(text))
  return [
    say(METRIC_NAMES[test.metric]),
    html`${text(test.effect ?? 0)}${range !== null && html` <span class="quiet whole">${say(range)}</span>`}`,
    `${test.discordant.left} / ${test.discordant.right}`,
    html`<span class="whole">${say(triesWords(test))}</span
      >${test.leftOut > 0 && html`<br /><small>−${test.leftOut}</small>`}`,
    html`<span class="whole"
      >${test.adjustedP === null ? '' : probabilityText(test.adjustedP)}${test.isShown && ' ★'}</span
    >`,
  ]
}

const SHOWN_METRICS: ReadonlySet<string> = new Set([
  'task_success',
  'clean_stop_rate',
  'strict_parse_rate',
  'parse_rate',
  'calls_per_episode',
  'tokens_per_episode',
])
