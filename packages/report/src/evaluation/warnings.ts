import { allWarnings } from '@callspec/eval'
import type { EvalSummary, Warning, WarningCode } from '@callspec/eval'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'

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

/** Summaries are files, which may be older or of somebody's own making: what cannot be said in Chinese is said in English. */
function warningInChinese({ code, text, values }: Warning): string {
  if (!Object.hasOwn(WARNINGS, code) || !Array.isArray(values)) return text
  return WARNINGS[code](values.map((value) => (typeof value === 'object' ? '' : String(value))))
}

/** The sentence of each warning, of its `values`. */
const WARNINGS: Readonly<Record<WarningCode, (values: readonly string[]) => string>> = {
  edited: ([edits = '', count = '']) => `这次运行的文件被手动修改过，且修改已被接受（共 ${count} 处）：${edits}。`,
  'no-check-sums': () => '这次运行的文件还没有校验和，无法判断是否被人修改过。',
  'infra-errors': ([failed = '', all = '']) => `${all} 次运行中有 ${failed} 次在到达服务端的途中失败，未计入。`,
  'formats-mixed-up': ([asked = '', others = '', replies = '']) =>
    `模拟模型只看得到请求，而这些格式的第一条提示词相同：有 ${replies} 个回复把 ${asked} 当成了 ${others}。这里测得的 ${asked} 没有意义，请在没有 ${others} 的运行中评测。`,
  setup: ([count = '', example = '', what = '']) =>
    `有 ${count} 个${what === 'episodes' ? '回合' : '回复'}是被本次评测的设置弄坏的，与模型无关：${example}。`,
  'part-of-a-run': () => '这只是一次运行的一部分：比较之前请先合并所有部分。',
  'intervals-of-tries': () =>
    '这次运行的区间由早期版本计算，把同一任务的多次尝试当作相互独立，可能过窄。用 callspec rescore 可按任务重新计算。',
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
