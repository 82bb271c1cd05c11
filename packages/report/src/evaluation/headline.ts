import type {
  Beaten,
  Breakage,
  Conclusion,
  FormatComparison,
  SummaryRow,
  FormatVerdict,
  EvalSummary,
  Warning,
  WarningCode,
} from '@callspec/eval'
import {
  breakageText,
  comparisonText,
  priceOf,
  verdictText,
  visiblePoints,
  allWarnings,
  formatId,
} from '@callspec/eval'
import type { Words, Html } from '../html.ts'
import { html, say } from '../html.ts'
import { causeInChinese, WHOSE_IN_CHINESE, differenceInChinese, sizeInChinese } from './names.ts'

/** The conclusion of a model in one sentence; the English one is that of the terminal and of `report.md`. */
export function verdictWords(verdict: FormatVerdict): Words {
  return { en: verdictText(verdict), zh: verdictInChinese(verdict) }
}

/** The most frequent cause of failures, and who is to blame. */
export function breakageWords(breakage: Conclusion['breaks']): Words {
  return { en: breakageText(breakage), zh: breakage === null ? '没有失败。' : breakageInChinese(breakage) }
}

/** Which of two formats solves more tasks; of a comparison that shows a difference. */
export function comparisonWords(comparison: FormatComparison): Words {
  const { left, right, tests } = comparison
  const test = tests.find(({ metric }) => metric === 'task_success')
  const [winner, loser] = test?.favours === 'right' ? [right, left] : [left, right]
  const zh = test === undefined ? '' : `${winner} 的成功率比 ${loser} 高 ${differenceInChinese(test)}。`
  return { en: comparisonText(comparison) ?? '', zh }
}

function verdictInChinese(verdict: FormatVerdict): string {
  switch (verdict.kind) {
    case 'nothing':
      return '没有任何回合得到模型的回复。'
    case 'alone': {
      const { rate, hits, of } = verdict.row.rates.task_success
      return `只测了 ${formatId(verdict.row.protocol)}：成功率 ${((rate ?? 0) * 100).toFixed(1)} %，${of} 次中的 ${hits} 次。`
    }
    case 'level':
      return `各格式${verdict.hasApis ? '与 API ' : ''}的差异不显著：${levelInChinese(verdict)}。`
    default: {
      const { best, over, level } = verdict
      const beaten = over.map(({ row, test }: Beaten) => `比 ${formatId(row.protocol)} 高 ${differenceInChinese(test)}`)
      const levelWith =
        level.length === 0 ? '' : `；与 ${level.map(({ protocol }) => formatId(protocol)).join('、')} 差异不显著`
      const others = over.map(({ row }) => row)
      return `${formatId(best.protocol)} 的成功率${beaten.join('，')}，${priceInChinese(best, others)}${levelWith}。`
    }
  }
}

function levelInChinese({ test, visible }: Extract<FormatVerdict, { kind: 'level' }>): string {
  if (test === null || test.tasks === 0) return '没有共同的任务'
  const size = sizeInChinese(test)
  if (visible === null) return `${size}；任务太少，任何差别都看不出来`
  return `${size}；${visiblePoints(visible)} 个百分点的差异，在这样的运行中有 80% 的概率检出`
}

function priceInChinese(best: SummaryRow, others: readonly SummaryRow[]): string {
  const price = priceOf(best, others)
  switch (price.unit) {
    case 'money':
      return `每次成功的费用为 ${price.own}，对方为 ${price.others.join('、')}`
    case 'tokens':
      return `每个回合 ${price.own} 个 token，对方为 ${price.others.join('、')}`
    default:
      return '费用未知'
  }
}

function breakageInChinese(breakage: Breakage): string {
  const { of, count, failed, most, equals } = breakage
  const [head, what] = of === 'episodes' ? ['最常见的失败', '失败的回合'] : ['最常见的问题', '有问题的回复']
  const share = `${head}：${blamedInChinese(breakage)}，${failed} 个${what}中有 ${count} 个`
  const where = 2 * most.count <= count ? '' : `，其中 ${most.count} 个是 ${formatId(most.protocol)}`
  return `${share}${where}${equals.length === 0 ? '' : `；同样多的还有${equals.map(blamedInChinese).join('、')}`}。`
}

function blamedInChinese(cause: Pick<Breakage, 'blames' | 'rule' | 'detail'>): string {
  return `${causeInChinese(cause)}（${WHOSE_IN_CHINESE[cause.blames]}）`
}

/** What a reader should know before believing a figure. */
export function warningsSection(summary: EvalSummary): Html | null {
  const warnings = allWarnings(summary)
  if (warnings.length === 0) return null
  return html`<section id="warnings" class="notice">
    <h2>${say({ en: 'Before you believe this', zh: '阅读前请注意' })}</h2>
    <ul>
      ${warnings.map((warning) => html`<li><span aria-hidden="true">⚠</span> ${say({ en: warning.text, zh: warningInChinese(warning) })}</li>`)}
    </ul>
  </section>`
}

/** Summaries are files, which may be old or made by hand: texts without a translation stay English. */
function warningInChinese({ code, text, values }: Warning): string {
  if (!Object.hasOwn(WARNINGS, code) || !Array.isArray(values)) return text
  return WARNINGS[code](values.map((value) => (typeof value === 'object' ? '' : String(value))))
}

/** The sentence of each warning, of its `values`. */
const WARNINGS: Readonly<Record<WarningCode, (values: readonly string[]) => string>> = {
  edited: ([edits = '', count = '']) => `这次运行的文件被手动修改过，且修改已被接受（共 ${count} 处）：${edits}。`,
  'no-check-sums': () => '这次运行的文件还没有校验和，无法判断是否被人修改过。',
  'infra-errors': ([failed = '', all = '']) => `${all} 个回合中有 ${failed} 个请求失败，未计入。`,
  'formats-mixed-up': ([asked = '', others = '', replies = '']) =>
    `模拟模型只看得到请求，而这些格式的第一条提示词相同：有 ${replies} 个回复把 ${asked} 当成了 ${others}。这里测得的 ${asked} 没有意义，请在没有 ${others} 的运行中评测。`,
  setup: ([count = '', example = '', what = '']) =>
    `有 ${count} 个${what === 'episodes' ? '回合' : '回复'}是被本次评测的设置弄坏的，与模型无关：${example}。`,
  'part-of-a-run': () => '这只是一次运行的一部分：比较之前请先合并所有部分。',
  'intervals-of-tries': () =>
    '这次运行的置信区间由早期版本计算，把同一任务的多次尝试当作相互独立，可能过窄。用 callspec rescore 可按任务重新计算。',
  'tries-alike': ([where = '']) =>
    `同一任务的几次回复完全相同，只按一次计${where === '' ? '' : `（${where}）`}：多些任务才有更多信息，多些种子没有。`,
  'stops-off': () => '没有发送停止词：编造的结果反映的是模型的倾向，而不是服务端放过了什么。',
  'cache-hits': ([cached = '', all = '']) => `${all} 个回复中有 ${cached} 个来自缓存，不计时间，也不计 token。`,
  'unparsed-output': ([failed = '', all = '']) =>
    `${all} 个回复中有 ${failed} 个因服务端自己的解析器读不懂而以错误返回：换一个工具解析器也许可以。`,
  'unknown-tokens': ([where = '']) => `服务端没有报告全部 token（${where}）。`,
  'counts-doubted': ([where = '']) => `usage 像是编造的，或含有隐藏的思考（${where}）：其计数不作为归咎服务端的依据。`,
  retries: ([retried = '', all = '']) => `${all} 个回复中有 ${retried} 个用了不止一次请求。`,
  'endpoints-differ': ([model = '', what = '']) => `${model} 的各端点不一致（引擎版本或模型列表）：${what}。`,
}
