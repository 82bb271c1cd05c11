import { parsedJson } from '../text/json.ts'
import { callOf, loggedMessage, toolsOf } from './logged-message.ts'
import type { LoggedMessage } from './logged-message.ts'
import { NO_MODEL, otherFormat } from './output-row.ts'
import type { OutputRow, ReadRow, RowOptions } from './output-row.ts'
import { listOf, objectOf, textOf } from './record.ts'
import type { Json } from './record.ts'
import type { NativeCall } from '../trace/completion.ts'
import type { ToolSpec } from '../trace/task.ts'

/**
 * Reads a line of `samples_*.jsonl` of lm-eval: every generated text of `resps` is an output, or of `filtered_resps` where
 * the former were left out. Never throws.
 */
export function readSampleRows(row: Json, { reader }: RowOptions): ReadRow {
  const other = otherFormat(row, reader)
  if (other !== null) return other
  const raw = textsIn(row['resps'])
  const texts = raw.length > 0 ? raw : textsIn(row['filtered_resps'])
  if (texts.length === 0)
    return { kind: 'unreadable', reason: '"resps" holds no text: only tasks that generate have outputs' }
  const model = textOf(row['model']) ?? NO_MODEL
  return { kind: 'rows', rows: texts.map((text) => ({ model, text, functions: null })) }
}

/** A list of texts, or of lists of them: one per request, one per repetition. Likelihoods are pairs in a third list. */
function textsIn(given: unknown): readonly string[] {
  return (listOf(given) ?? []).flatMap((each) => (listOf(each) ?? [each]).filter((text) => typeof text === 'string'))
}

/**
 * Reads a conversation: `messages` with roles, or `conversations` as ShareGPT has them (`from`, `value`). Every reply of the
 * assistant is an output. The list may be a text of JSON. Never throws.
 */
export function readChatRows(row: Json, { reader }: RowOptions): ReadRow {
  const other = otherFormat(row, reader)
  if (other !== null) return other
  const messages = messagesIn(row)
  if (messages === null) return { kind: 'unreadable', reason: 'it has no list of "messages" or "conversations"' }
  const tools = toolsOf(row['tools'] ?? row['functions'])
  const model = textOf(row['model']) ?? NO_MODEL
  const rows = messages.flatMap((entry): readonly OutputRow[] => {
    const message = objectOf(entry)
    const said = message === null ? null : replyIn(message)
    return said === null ? [] : [rowOf(said, { model, tools })]
  })
  return rows.length === 0
    ? { kind: 'unreadable', reason: 'no message of it is a reply of a model' }
    : { kind: 'rows', rows }
}

/** The list of a conversation; null where there is none. */
export function messagesIn(row: Json): readonly unknown[] | null {
  const given = row['messages'] ?? row['conversations']
  return listOf(typeof given === 'string' ? parsedJson(given) : given)
}

function rowOf(
  { text, reasoning, toolCalls }: LoggedMessage,
  { model, tools }: { readonly model: string; readonly tools: readonly ToolSpec[] | null },
): OutputRow {
  const reply = { reasoning, toolCalls, finishReason: null, tools }
  return { model, text, functions: tools?.map(({ name }) => name) ?? null, reply }
}

const MODEL_ROLES: ReadonlySet<string> = new Set(['assistant', 'gpt', 'model', 'chatgpt', 'bot'])

/** Null for what a user, a tool or a system says. */
function replyIn(message: Json): LoggedMessage | null {
  const role = (textOf(message['role']) ?? textOf(message['from']) ?? '').toLowerCase()
  const value = message['content'] ?? message['value']
  if (MODEL_ROLES.has(role)) return loggedMessage({ ...message, content: value })
  if (role !== 'function_call') return null
  const toolCalls = callsIn(value)
  return { text: toolCalls.length === 0 ? (textOf(value) ?? '') : '', reasoning: '', toolCalls }
}

/** Data sets hold a call, or a list of them, as an object or as a text of JSON. */
function callsIn(value: unknown): readonly NativeCall[] {
  const given = typeof value === 'string' ? parsedJson(value) : value
  return (listOf(given) ?? [given]).flatMap((entry) => {
    const call = objectOf(entry)
    return call === null || textOf(call['name']) === null ? [] : [callOf('', call)]
  })
}
