import type { Words } from '../html.ts'
import type { ReplyWarning, ScoredTurn, REPAIR_MEANS } from '@callspec/eval'

/** What people call an issue of a reply, by its code; formats of users may have codes of their own. */
export const ISSUE_NAMES: Readonly<Record<string, Words>> = {
  'argument-list': { en: 'arguments as a list', zh: '参数写成列表' },
  'argument-in-value': { en: 'a value that contains the tag of another argument', zh: '值里含有另一个参数的标记' },
  'arguments-not-json': { en: 'arguments that are no JSON', zh: '参数不是 JSON' },
  'arguments-not-object': { en: 'arguments that are no object', zh: '参数不是对象' },
  'body-not-readable': { en: 'no call can be read here', zh: '这里读不出调用' },
  'call-at-start': { en: 'a call at the very beginning', zh: '调用位于回复开头' },
  'call-dropped': { en: 'a call was dropped', zh: '调用被丢弃' },
  'call-after-stop': { en: 'a call after an invented result', zh: '调用位于模型自己编造的结果之后' },
  'call-in-code': { en: 'a call in code', zh: '代码中有调用' },
  'call-in-quote': { en: 'a call in a quotation', zh: '引用中有调用' },
  'call-in-text': { en: 'the name of a call in the text', zh: '正文中出现调用的名字' },
  'call-in-thought': { en: 'a call in a thought that is not closed', zh: '没有结束的思考中有调用' },
  'call-not-closed': { en: 'a call without its end', zh: '调用没有结束标记' },
  'call-not-json': { en: 'a call that is no JSON', zh: '调用不是 JSON' },
  'call-not-strict-json': { en: 'a call in loose JSON', zh: '调用的 JSON 不严格' },
  'call-without-arguments': { en: 'a call without arguments', zh: '调用没有参数' },
  'call-without-name': { en: 'a call without a name', zh: '调用没有名字' },
  'calls-empty': { en: 'an empty list of calls', zh: '调用列表为空' },
  'calls-not-closed': { en: 'calls without their end', zh: '一组调用没有结束标记' },
  'calls-not-readable': { en: 'no call can be read here', zh: '这里读不出调用' },
  'choice-not-supported': { en: 'a choice of tools that the format has not', zh: '该格式不支持这种工具选择' },
  cut: { en: 'cut off', zh: '没有写完' },
  'empty-name': { en: 'an empty name', zh: '名字为空' },
  'empty-reply': { en: 'an empty reply', zh: '空回复' },
  'head-not-readable': { en: 'the head of a message that cannot be read', zh: '消息的头读不出来' },
  'key-twice': { en: 'an argument given twice', zh: '同一个参数写了两次' },
  'key-without-value': { en: 'an argument without a value', zh: '参数没有值' },
  'line-feeds-missing': { en: 'no empty line before the calls', zh: '调用之前缺少空行' },
  'marker-in-text': { en: 'a marker in the text', zh: '正文中出现标记' },
  'marker-removed': { en: 'a marker was removed', zh: '标记被去掉' },
  'markers-missing': { en: 'no marker of the format', zh: '没有该格式的任何标记' },
  'members-dropped': { en: 'members were dropped', zh: '多余的成员被丢弃' },
  'name-not-text': { en: 'a name that is no text', zh: '名字不是文本' },
  'partial-stop-word': { en: 'a part of a stop word', zh: '停止词只有一部分' },
  'stop-token-left': { en: 'a stop token was left', zh: '留着停止 token' },
  'stop-word-in-text': { en: 'a stop word in the text', zh: '正文中出现停止词' },
  'text-after-call-dropped': { en: 'text after a call was dropped', zh: '调用之后的文本被丢弃' },
  'text-after-stop': { en: 'text after a stop token was dropped', zh: '停止 token 之后的文本被丢弃' },
  'text-dropped': { en: 'text was dropped', zh: '文本被丢弃' },
  'thought-not-closed': { en: 'calls that end a thought without its closing tag', zh: '思考没有结束标记，以调用结束' },
  'value-ends-in-marker': { en: 'a value that ends in its closing tag', zh: '值的末尾是它自己的结束标记' },
  'value-not-closed': { en: 'a value without its closing tag', zh: '值没有结束标记' },
  'value-not-json': { en: 'a value that is no JSON', zh: '值不是 JSON' },
}

/** The notes about a reply, in addition to its label and its repairs. */
type Note =
  NonNullable<ScoredTurn['problem']> | ScoredTurn['reasons'][number] | ScoredTurn['flags'][number] | ReplyWarning

const NOTES: Readonly<Record<Note, Words>> = {
  'tag not closed': { en: 'tag not closed', zh: '标签没有结束' },
  'markers malformed': { en: 'markers malformed', zh: '标记的写法不对' },
  'not JSON': { en: 'not JSON', zh: '不是 JSON' },
  'no name': { en: 'no name', zh: '没有名字' },
  'no arguments': { en: 'no arguments', zh: '没有参数' },
  'name is no text': { en: 'name is no text', zh: '名字不是文本' },
  'arguments are no object': { en: 'arguments are no object', zh: '参数不是对象' },
  'no tags round the call': { en: 'no tags round the call', zh: '调用没有写在标签里' },
  'no single state number': { en: 'no single state number', zh: '不是单独一个状态编号' },
  'call left in the text': { en: 'call left in the text', zh: '调用留在了文本中' },
  'call in another form': { en: 'call in another form', zh: '调用用了另一种写法' },
  missing_required: { en: 'a required argument is missing', zh: '缺少必需的参数' },
  unexpected: { en: 'an argument that the tool has not', zh: '工具没有的参数' },
  type: { en: 'an argument of another type', zh: '参数的类型不对' },
  enum: { en: 'a value that is not allowed', zh: '值不在允许的范围内' },
  not_object: { en: 'arguments are no object', zh: '参数不是对象' },
  other: { en: 'arguments break the schema otherwise', zh: '参数在其他方面不符合 schema' },
  prose_before: { en: 'words before the call', zh: '调用之前有正文' },
  prose_after: { en: 'text after the call', zh: '调用之后有正文' },
  code_fence: { en: 'a code fence', zh: '有代码块标记' },
  multi_call: { en: 'several calls', zh: '多个调用' },
  duplicate_call_in_turn: { en: 'the same call twice', zh: '同一调用写了两次' },
  think_unclosed: { en: 'the thinking does not end', zh: '思考没有结束' },
  intra_repetition: { en: 'repeats itself', zh: '内容重复' },
  wrong_language: { en: 'another language than the question', zh: '与问题的语言不同' },
  fullwidth_punct: { en: 'full-width punctuation', zh: '全角标点' },
  case_drift: { en: 'another case of a mark', zh: '标记的大小写不同' },
  action_and_final: { en: 'a call and a final answer', zh: '既有调用又有最终回答' },
  stop_word_kept: { en: 'a stop word at the end', zh: '末尾留着停止词' },
  'several-choices': { en: 'several choices', zh: '返回了多个候选' },
  'no-choice-0': { en: 'no choice 0', zh: '没有编号 0 的候选' },
  'no-finish-reason': { en: 'no finish_reason', zh: '没有 finish_reason' },
  'no-tool-calls': { en: 'calls announced, none sent', zh: '声明有调用却没有给出' },
  'arguments-not-text': { en: 'arguments sent as JSON, not as text', zh: '参数以 JSON 而不是文本给出' },
  'function-call': { en: 'the older function_call', zh: '用了旧的 function_call' },
  'no-call-id': { en: 'a call without an id', zh: '调用没有 id' },
  'content-parts': { en: 'content in parts', zh: '内容分成了几部分' },
  'refusal-text': { en: 'a refusal', zh: '拒绝的文本' },
  'not-streamed': { en: 'not streamed, though asked for', zh: '要求流式却没有流式返回' },
  streamed: { en: 'streamed, though not asked for', zh: '没有要求却流式返回' },
  'end-mark-kept': { en: 'the server kept the end mark', zh: '服务端保留了结束标记' },
  'stop-word-kept': { en: 'the server kept the stop word', zh: '服务端保留了停止词' },
  'stop-word-ignored': { en: 'the server ignored stop', zh: '服务端忽略了停止词' },
  'server-read-calls': { en: 'the server read the calls itself', zh: '服务端自行解析了调用' },
  'cumulative-deltas': { en: 'deltas that repeat what came before', zh: 'delta 重复了之前的内容' },
}

/** A note in words; one that is new here in its own. */
export function noteWords(note: string): Words {
  if (Object.hasOwn(NOTES, note)) return NOTES[note as Note]
  const own = note.replaceAll(/[_-]/g, () => ' ')
  return { en: own, zh: own }
}

/** What a verdict misses, by its code. */
const VERDICT_REASONS: Readonly<Record<string, Words>> = {
  no_final_answer: { en: 'no final answer', zh: '没有最终回答' },
  answer_num: { en: 'another number in the answer', zh: '答案中的数字不对' },
  answer_re: { en: 'the answer says something else', zh: '答案不是要求的内容' },
  answer_re_limit: {
    en: 'the suite’s expression is too slow to judge the answer',
    zh: '任务集的正则表达式太慢，无法判断答案',
  },
  answer_all: { en: 'the answer leaves something out', zh: '答案缺少内容' },
  missing_call: { en: 'missing call', zh: '缺少调用' },
  forbidden_call: { en: 'forbidden call', zh: '不允许的调用' },
  too_many_calls: { en: 'too many calls', zh: '调用过多' },
  too_few_calls: { en: 'too few calls', zh: '调用过少' },
  too_many_identical: { en: 'too many identical calls', zh: '相同的调用过多' },
  state: { en: 'another outcome', zh: '结果状态不对' },
}

/** `missing call: calculator` for `missing_call:calculator`; what follows the code may be anybody's name, and so may a reason of a user's own scorer. */
export function reasonWords(reason: string): Words {
  const at = reason.indexOf(':')
  const [code, rest] = at < 0 ? [reason, ''] : [reason.slice(0, at), reason.slice(at + 1)]
  const words = Object.hasOwn(VERDICT_REASONS, code) ? VERDICT_REASONS[code] : undefined
  if (words === undefined) return { en: reason, zh: reason }
  return rest === '' ? words : { en: `${words.en}: ${rest}`, zh: `${words.zh}：${rest}` }
}

/** What a reader wants that a reply does not have, in Chinese; the English sentences are those of the terminal. */
const REPAIRS_IN_CHINESE: Readonly<Record<keyof typeof REPAIR_MEANS, string>> = {
  'close-tag': '缺少结束标签',
  'tag-case': '标签的写法不同',
  'missing-colon': '标记后缺少冒号',
  'missing-tags': '调用没有写在标签里',
  'call-list': '多个调用写在同一个列表里',
  'single-quotes': '字符串用了单引号',
  'trailing-comma': '右括号前多了逗号',
  comment: 'JSON 里有注释',
  'unquoted-key': '键没有引号',
  json5: '参数是 JSON5 而不是 JSON',
  'python-literals': '参数里有 Python 的 True、False 或 None',
  'no-value': 'NaN、Infinity 或 undefined 不是 JSON 值',
  'full-width': '用了全角标点',
  'raw-newline': '字符串里有原样的换行',
  'invisible-character': '夹有不可见的字符',
  'code-fence': 'JSON 外面有代码块标记',
  'closing-bracket': '少了或多了一个右括号',
  'trailing-text': 'JSON 之后还有文本',
  'empty-arguments': '缺少参数',
  'arguments-alias': '“arguments”用了别的名字',
  'flat-arguments': '参数与名字写在同一层',
  'double-encoding': '参数是含有对象的字符串',
  'action-line': '“Action:”不在思考之后的行首',
  'keyword-case': '关键字的写法不同',
  'localised-keyword': '关键字被翻译了',
  'marker-cut': '回复里有控制标记',
  'quoted-marker': '参数里出现格式的标记',
  'surrounding-text': '所要的内容前后还有别的话',
  'state-name': '用状态的名字代替了编号',
}

/** A repair in Chinese; one that is new here by its code. */
export function repairInChinese(repair: string): string {
  return Object.hasOwn(REPAIRS_IN_CHINESE, repair) ? REPAIRS_IN_CHINESE[repair as keyof typeof REPAIR_MEANS] : repair
}
