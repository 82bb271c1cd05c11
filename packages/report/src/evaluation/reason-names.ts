import type { Words } from '../words.ts'

/** What a verdict misses, by its code. */
const REASONS: Readonly<Record<string, Words>> = {
  no_final_answer: { en: 'no final answer', zh: '没有最终回答' },
  answer_num: { en: 'another number in the answer', zh: '答案中的数字不对' },
  answer_re: { en: 'the answer says something else', zh: '答案不是要求的内容' },
  answer_re_limit: {
    en: 'the suite’s expression is too slow to judge the answer',
    zh: '测试集的正则表达式太慢，无法判断答案',
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
  const words = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (words === undefined) return { en: reason, zh: reason }
  return rest === '' ? words : { en: `${words.en}: ${rest}`, zh: `${words.zh}：${rest}` }
}
