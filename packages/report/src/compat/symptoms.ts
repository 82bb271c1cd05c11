import type { CompatVerdict } from '@callspec/compat-data'
import type { Words } from '../html.ts'

/** What a user of the engine sees. The keys are in addresses of searches, and do not change. */
export const SYMPTOMS: Readonly<Record<string, Words>> = {
  refused: { en: 'the reply is refused', zh: '回复被拒绝' },
  'no-answer': { en: 'no answer in time', zh: '没有及时回答' },
  'call-in-content': { en: 'tool call in content', zh: '调用出现在 content 中' },
  'call-missing': { en: 'call missing', zh: '缺少调用' },
  'stream-lacks-call': { en: 'stream lacks the call', zh: '流式响应缺少调用' },
  'call-too-many': { en: 'a call that the model did not make', zh: '多出模型没有写的调用' },
  'arguments-empty': { en: 'arguments empty', zh: '参数为空' },
  'arguments-differ': { en: 'arguments changed', zh: '参数被改变' },
  'name-differs': { en: 'another tool name', zh: '工具名不同' },
  'text-lost': { en: 'text lost', zh: '文本丢失' },
  'text-differs': { en: 'text changed', zh: '文本被改变' },
  'reasoning-differs': { en: 'reasoning in content, or changed', zh: '思考内容位置或文字不同' },
  'prompt-differs': { en: 'another prompt', zh: '提示词不同' },
  number: { en: 'a number written otherwise', zh: '数字写法不同' },
  id: { en: 'an id of its own', zh: '自造的 id' },
  'cut-call': { en: 'cut call handed on', zh: '交出不完整的调用' },
  other: { en: 'another answer', zh: '回答不同' },
}

interface Reading {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

/**
 * The symptom of a wrong answer.
 *
 * @param given the first 400 characters of the answer: of a longer one only that it is another is known
 * @param expected the right answers as plain data
 */
export function symptomOf(
  verdict: CompatVerdict,
  given: string,
  { operation, expected }: { readonly operation: string; readonly expected: unknown },
): string {
  if (verdict === 'refused') return 'refused'
  if (verdict === 'errored') return 'no-answer'
  if (verdict === 'number' || verdict === 'id') return verdict
  if (verdict === 'cut') return 'cut-call'
  if (operation === 'render') return 'prompt-differs'
  const got = readingOf(jsonOrNothing(given))
  const [right] = alternatives(expected)
  const wanted = readingOf(right)
  if (got === null || wanted === null) return 'other'
  return differenceOf(got, wanted, operation)
}

function differenceOf(got: Reading, wanted: Reading, operation: string): string {
  if (got.calls.length < wanted.calls.length) {
    if (got.content.length > wanted.content.length) return 'call-in-content'
    return operation === 'parse' ? 'call-missing' : 'stream-lacks-call'
  }
  if (got.calls.length > wanted.calls.length) return 'call-too-many'
  for (const [at, call] of got.calls.entries()) {
    const right = wanted.calls[at]
    if (right === undefined) continue
    if (call.name !== right.name) return 'name-differs'
    const [one, other] = [sortedJson(call.arguments), sortedJson(right.arguments)]
    if (one !== other) return /^\s*(?:\{\s*\}\s*)?$/.test(call.arguments) ? 'arguments-empty' : 'arguments-differ'
  }
  if (solid(got.reasoning) !== solid(wanted.reasoning)) return 'reasoning-differs'
  if (solid(got.content).length < solid(wanted.content).length) return 'text-lost'
  return got.content === wanted.content ? 'other' : 'text-differs'
}

function solid(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** The order of keys does not count. */
function sortedJson(text: string): string {
  const value = jsonOrNothing(text)
  return value === undefined ? text : JSON.stringify(sortedKeys(value, 0))
}

/** Answers are hostile; nothing that deep is shown anyway. */
const DEEPEST = 100

function sortedKeys(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((each: unknown) => sortedKeys(each, depth + 1))
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([key, each]) => [key, sortedKeys(each, depth + 1)])
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function alternatives(expected: unknown): readonly unknown[] {
  const several = member(expected, 'any_of')
  return Array.isArray(several) ? several : [expected]
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** The content, reasoning and calls of an answer in any of its forms; null for another value. */
function readingOf(value: unknown): Reading | null {
  if (typeof value !== 'object' || value === null) return null
  const final = member(value, 'final')
  if (final !== undefined) return readingOf(final)
  const deltas = member(value, 'deltas')
  if (Array.isArray(deltas)) return foldDeltas(deltas)
  const items = member(value, 'items')
  if (Array.isArray(items)) return foldItems(items)
  const calls = member(value, 'calls')
  return {
    content: memberText(value, 'content'),
    reasoning: memberText(value, 'reasoning'),
    calls: (Array.isArray(calls) ? calls : []).map(callOf),
  }
}

function foldItems(items: readonly unknown[]): Reading {
  const textsOf = (type: string): string =>
    items.flatMap((item) => (member(item, 'type') === type ? [memberText(item, 'text')] : [])).join('')
  return {
    content: textsOf('text'),
    reasoning: textsOf('reasoning'),
    calls: items.filter((item) => member(item, 'type') === 'call').map(callOf),
  }
}

function foldDeltas(deltas: readonly unknown[]): Reading {
  let [content, reasoning] = ['', '']
  const calls = new Map<unknown, { name: string; arguments: string }>()
  for (const each of deltas) {
    const delta = member(each, 'delta')
    content += memberText(delta, 'content')
    reasoning += memberText(delta, 'reasoning')
    const made = member(delta, 'calls')
    for (const part of Array.isArray(made) ? (made as readonly unknown[]) : []) {
      const index = member(part, 'index') ?? 0
      const call = calls.get(index) ?? { name: '', arguments: '' }
      calls.set(index, {
        name: call.name + memberText(part, 'name'),
        arguments: call.arguments + memberText(part, 'arguments'),
      })
    }
  }
  return { content, reasoning, calls: [...calls.values()] }
}

function callOf(value: unknown): { readonly name: string; readonly arguments: string } {
  const given = member(value, 'arguments')
  return {
    name: memberText(value, 'name'),
    arguments: typeof given === 'string' ? given : (JSON.stringify(given) ?? ''),
  }
}

function memberText(value: unknown, name: string): string {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}
