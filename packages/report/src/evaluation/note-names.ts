import type { ReplyWarning, ScoredTurn } from '@callspec/eval'
import type { Words } from '../words.ts'

/** Everything that is noted of a reply beside its label and its repairs. */
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
  enum: { en: 'a value that is none of those allowed', zh: '值不在允许的范围内' },
  not_object: { en: 'arguments are no object', zh: '参数不是对象' },
  other: { en: 'arguments break the schema otherwise', zh: '参数在其他方面不符合 schema' },
  prose_before: { en: 'words before the call', zh: '调用之前有正文' },
  prose_after: { en: 'words behind the call', zh: '调用之后有正文' },
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
