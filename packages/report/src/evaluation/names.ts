import type { Blamed, Cause, PairedMetric, PairedTest } from '@callspec/eval'
import { causeName, END_NAMES, pText, triesText, TURN_NAMES } from '@callspec/eval'
import type { Words } from '../html.ts'
import { repairInChinese } from './chinese.ts'

/** Whose a failure is. */
export const WHOSE_IN_CHINESE: Readonly<Record<Blamed, string>> = {
  model: '模型',
  prompt: '提示词',
  parser: '解析器',
  server: '服务端',
  setup: '评测设置',
}

/** Who is meant, in the languages of the page; charts and files have the English word. */
export const CULPRITS: Readonly<Record<Blamed, Words>> = {
  model: { en: 'model', zh: `${WHOSE_IN_CHINESE.model} model` },
  prompt: { en: 'prompt', zh: `${WHOSE_IN_CHINESE.prompt} prompt` },
  parser: { en: 'parser', zh: `${WHOSE_IN_CHINESE.parser} parser` },
  server: { en: 'server', zh: `${WHOSE_IN_CHINESE.server} server` },
  setup: { en: 'setup (our own settings, not the model)', zh: `${WHOSE_IN_CHINESE.setup} setup（与模型无关）` },
}

const CAUSES: Readonly<Record<string, string>> = {
  'no-reply': '没有回复',
  'prompt-too-long': '提示词过长',
  filtered: '被内容过滤器拦截',
  'other-model': '由另一个模型回复',
  'server-read-calls': '服务端自行解析了调用',
  'calls-announced': '声明有调用却没有给出',
  'text-swallowed': '回复有文本未返回：调用或思考',
  'error-as-reply': '错误被当作回复',
  'call-without-name': '调用没有工具名',
  'calls-merged': '几个调用合成了一个',
  'text-escaped': '文本被转义为 HTML',
  'text-garbled': '文本解码错误',
  'text-damaged': '字符在途中损坏',
  'call-swallowed': '服务端丢掉了调用',
  'arguments-swallowed': '调用参数丢失',
  'cut-without-end': '回复中途断开',
  'stop-word-ignored': '服务端忽略了停止词',
  'reply-stalled': '回复停住不动',
  'timeout-too-short': '被 --timeout 截断',
  'never-ends': '回复没有结束',
  'unparsed-output': '服务端的解析器读不懂回复',
  'end-mark-kept': '服务端保留了结束标记',
  'marks-eaten': '服务端丢掉了调用标记',
  'reply-in-reasoning': '回复出现在思考字段中',
  'cut-but-stop': '被截断却报告正常结束',
  'max-tokens-too-small': '被 --max-tokens 截断',
  'stops-off': '--stops off 使回复继续写下去',
  'max-calls-too-small': '被 --max-calls 停止',
  'slow-pattern': '任务集的正则表达式太慢',
  'call-left-in-text': '调用留在了文本中',
  'tools-not-shown': '提示词没有列出工具',
  'other-syntax-asked': '提示词要求的是另一种写法',
  'prompt-not-rendered': '服务端漏掉了部分提示词',
  'prompt-shrinks': '服务端截短了提示词',
  'results-not-rendered': '服务端漏掉了工具结果',
  'mark-in-prompt': '照抄了提示词中的标记',
  'readable-but-refused': '可读但被拒绝',
  'calls-not-shown': '提示词漏掉了之前的调用',
  'odd-but-read': '不规范但读懂了',
  truncated: '被截断',
  empty: '空回复',
  'call-in-thought': '调用写在思考中',
  'hallucinated-observation': '编造了工具结果',
  'leaked-marker': '文本中出现控制标记',
  'wrong-protocol': '用了另一种格式调用',
  malformed: '调用无法读取',
  'hallucinated-tool': '调用了不存在的工具',
  'double-encoded': '参数被编码两次',
  'bad-args-schema': '参数不符合 schema',
  unclear: '格式不允许的位置出现调用',
  'host-broke': '宿主在该回复上崩溃',
  'host-saw-no-call': '宿主没有看到调用',
  'call-from-result': '照抄了结果中的调用',
  'quoted-call-run': '执行了只是引用的调用',
  'forged-turn-tokens': '伪造的轮次变成了控制 token',
  'obeyed-forged-text': '听从了伪造的文本',
  'repeats-a-call': '反复进行同一调用',
  'errors-in-a-row': '连续的失败调用',
  'budget-used-up': '调用次数用尽',
  'wrong-outcome': '结束了，但没有完成任务',
}

/** The cause and what is odd about the reply. */
export function causeInChinese({ rule, detail }: Pick<Cause, 'rule' | 'detail'>): string {
  const name = Object.hasOwn(CAUSES, rule) ? CAUSES[rule] : undefined
  if (name === undefined) return causeName({ rule, detail })
  return detail === null ? name : `${name}：${repairInChinese(detail)}`
}

/** The cause in both languages. */
export function causeWords(cause: Pick<Cause, 'rule' | 'detail'>): Words {
  return { en: causeName(cause), zh: causeInChinese(cause) }
}

const TURNS_IN_CHINESE: Readonly<Record<keyof typeof TURN_NAMES, string>> = {
  infra_error: '途中失败',
  truncated: '被截断',
  empty: '空',
  call_in_thought: '调用写在思考中',
  hallucinated_observation: '编造的结果',
  leaked_marker: '文本中出现控制标记',
  wrong_protocol: '另一种格式的调用',
  malformed: '无法读取的调用',
  hallucinated_tool: '不存在的工具',
  double_encoded: '参数被编码两次',
  bad_args_schema: '参数不符合 schema',
  recovered: '修复后读取',
  well_formed: '正确的调用',
  final_answer: '回答',
  no_tool_text: '无调用的文本',
}

const ENDS_IN_CHINESE: Readonly<Record<keyof typeof END_NAMES, string>> = {
  infra_error: '途中失败',
  refused: '拒绝',
  context_overflow: '提示词已无空间',
  runaway: '失控',
  truncated: '被截断',
  empty_output: '空回复',
  hallucinated_observation: '编造的结果',
  parse_dead_end: '调用没有被读取',
  repeat_loop: '反复同一调用',
  tool_error_spiral: '连续失败的调用',
  budget_exhausted: '调用次数用尽',
  final_answer: '声明已完成',
  no_tool_stop: '不再调用',
}

/** Names by code, of turns and ends: what the script of the page says instead of codes. */
export const LABEL_NAMES: Readonly<Record<'turns' | 'ends', Readonly<Record<string, Words>>>> = {
  turns: both(TURN_NAMES, TURNS_IN_CHINESE),
  ends: both(END_NAMES, ENDS_IN_CHINESE),
}

function both(en: Readonly<Record<string, string>>, zh: Readonly<Record<string, string>>): Record<string, Words> {
  return Object.fromEntries(Object.entries(en).map(([code, name]) => [code, { en: name, zh: zh[code] ?? name }]))
}

/** What people call the figures that are compared. */
export const METRIC_NAMES: Readonly<Record<PairedMetric, Words>> = {
  task_success: { en: 'success', zh: '成功率' },
  clean_stop_rate: { en: 'clean stops', zh: '正常结束率' },
  strict_parse_rate: { en: 'valid calls, strict', zh: '有效调用率（严格）' },
  parse_rate: { en: 'valid calls, with repairs', zh: '有效调用率（含修复）' },
  calls_per_episode: { en: 'calls, where both solved', zh: '调用次数（双方都完成时）' },
  turns_per_episode: { en: 'turns, where both solved', zh: '轮数（双方都完成时）' },
  tokens_per_episode: { en: 'tokens, where both solved', zh: 'token 数（双方都完成时）' },
}

/** `42 tasks × 3 tries`. */
export function triesWords(test: Pick<PairedTest, 'tasks' | 'tries'>): Words {
  return { en: triesText(test), zh: `${sizeInChinese(test)} 次` }
}

/** `1.7 to 33.3`. */
export function rangeWords(ends: readonly string[]): Words {
  return { en: ends.join(' to '), zh: ends.join(' 到 ') }
}

/** `42 个任务 × 3`, `42 个任务 × 2 到 3`: what a test rests on. */
export function sizeInChinese({ tasks, tries: [fewest, most] }: Pick<PairedTest, 'tasks' | 'tries'>): string {
  return `${tasks} 个任务 × ${fewest === most ? most : `${fewest} 到 ${most}`}`
}

/** `16.7 个百分点（95% 置信区间：2.1 到 31.0；Holm 校正后 p = .014，42 个任务 × 3 次）`, for either direction. */
export function differenceInChinese(test: PairedTest): string {
  const { effect, interval, adjustedP, favours } = test
  const sign = favours === 'right' ? -1 : 1
  const ends = (interval ?? []).map((end) => sign * end * 100).toSorted((one, other) => one - other)
  const range = ends.length === 0 ? '' : `95% 置信区间：${ends.map((end) => end.toFixed(1)).join(' 到 ')}；`
  const p = adjustedP === null ? '' : `Holm 校正后 ${pText(adjustedP)}，`
  return `${(Math.abs(effect ?? 0) * 100).toFixed(1)} 个百分点（${range}${p}${sizeInChinese(test)} 次）`
}
