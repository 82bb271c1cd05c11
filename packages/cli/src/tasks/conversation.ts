import type { MessageDefinition, ShapePath } from '@callspec/eval'
import { messagesFault } from '@callspec/eval'
import type { Members } from './foreign.ts'
import { isMembers } from './foreign.ts'

/** What a task is asked: the conversation before its question, and the question. */
export interface AskedConversation {
  /** Absent without one. */
  readonly messages?: readonly MessageDefinition[]
  readonly query: string
}

/** Why an input cannot be asked, and where in it. */
export interface ConversationFault {
  readonly fault: string
  readonly path: ShapePath
}

/**
 * A text, or messages of a chat as one of the harnesses writes them: the chat API's, with `function_call` too, Inspect's, and blocks of the
 * messages API. The last ones of the user are the question; the others are the conversation before it.
 */
export function conversationIn(input: unknown): AskedConversation | ConversationFault {
  if (typeof input === 'string') return { query: input }
  if (!Array.isArray(input) || input.length === 0)
    return { fault: 'the input is no text and no list of messages', path: [] }
  const read: MessageDefinition[] = []
  const places: number[] = []
  for (const [index, message] of (input as readonly unknown[]).entries()) {
    const made = readMessage(message)
    if (typeof made === 'string') return { fault: made, path: [index] }
    for (const each of made) {
      read.push(each)
      places.push(index)
    }
  }
  const end = read.findLastIndex(({ role }) => role !== 'user') + 1
  const messages = read.slice(0, end)
  if (end === read.length)
    return {
      fault: `the last message is one of the role ${messages.at(-1)?.role ?? 'none'}: ${LAST}`,
      path: [input.length - 1],
    }
  const fault = messagesFault(messages, [])
  if (fault !== null) {
    const [at = 0] = fault.path
    return { fault: fault.message, path: [places[Number(at)] ?? 0] }
  }
  const query = read
    .slice(end)
    .map(({ content }) => content ?? '')
    .join('\n\n')
  return messages.length === 0 ? { query } : { messages, query }
}

const LAST = 'a task ends with a question of the user. Remove what follows it'

/** One message as those of the chat API; a sentence if it has no such form. */
function readMessage(message: unknown): readonly MessageDefinition[] | string {
  if (!isMembers(message)) return 'this is no message with "role" and "content"'
  const role = ROLES.get(message['role'])
  if (role === undefined)
    return `a message of the role ${JSON.stringify(message['role'])?.slice(0, 60) ?? 'none'}. Known: ${[...ROLES.keys()].join(', ')}`
  const content = contentOf(message['content'])
  if (typeof content === 'string') return content
  const calls = callsIn(message)
  if (typeof calls === 'string') return calls
  const { text, results } = content
  const all = [...calls, ...content.calls]
  if (role === 'tool') return [{ role, content: text ?? '', ...withId(message['tool_call_id'], 'tool_call_id') }]
  if (role === 'assistant') {
    if (all.length === 0 && text === null) return 'a message whose content is no text. Give a text'
    return [{ role, content: text ?? '', ...(all.length === 0 ? {} : { tool_calls: all }) }]
  }
  if (text === null && results.length === 0) return 'a message whose content is no text. Give a text'
  return [...results, ...(text === null ? [] : [{ role, content: text }])]
}

const ROLES: ReadonlyMap<unknown, MessageDefinition['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

type Calls = NonNullable<MessageDefinition['tool_calls']>

interface Content {
  /** Null without any. */
  readonly text: string | null
  readonly calls: Calls
  readonly results: readonly MessageDefinition[]
}

/** Text, or parts of text, calls (`tool_use`) and results (`tool_result`). Thoughts are left out, as prompts leave them out. */
function contentOf(content: unknown): Content | string {
  if (typeof content === 'string') return { text: content, calls: [], results: [] }
  if (!Array.isArray(content)) return { text: null, calls: [], results: [] }
  const texts: string[] = []
  const calls: Calls[number][] = []
  const results: MessageDefinition[] = []
  for (const part of content as readonly unknown[]) {
    const { type, text, id, name, input, tool_use_id: of, content: inner } = isMembers(part) ? part : {}
    if (typeof text === 'string' && (type === 'text' || type === undefined)) texts.push(text)
    else if (type === 'tool_use' && typeof name === 'string')
      calls.push({ ...withId(id, 'id'), function: { name, arguments: isMembers(input) ? input : {} } })
    else if (type === 'tool_result') {
      const result = textOfParts(inner)
      if (result === null) return 'a result with a part that is no text: only texts can be played'
      results.push({ role: 'tool', content: result, ...withId(of, 'tool_call_id') })
    } else if (!THOUGHTS.has(type))
      return `a part of the type ${JSON.stringify(type) ?? 'none'}: only texts, calls and results can be played`
  }
  return { text: texts.length === 0 ? null : texts.join('\n'), calls, results }
}

/** The text of a result, or of its parts; null for other parts. */
function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  const texts = (content as readonly unknown[]).map((part) => (isMembers(part) ? part['text'] : null))
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : null
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** `tool_calls` of the chat API or of Inspect, where a call has its name in `function`; `function_call` of before. */
function callsIn(message: Members): Calls | string {
  const { tool_calls: listed, function_call: old } = message
  const given: readonly unknown[] = Array.isArray(listed) ? listed : isMembers(old) ? [{ function: old }] : []
  const calls: Calls[number][] = []
  for (const call of given) {
    const members = isMembers(call) ? call : {}
    const called = isMembers(members['function']) ? members['function'] : { ...members, name: members['function'] }
    const { name, arguments: args } = called
    if (typeof name !== 'string') return 'a call without a name'
    if (typeof args !== 'string' && !isMembers(args)) return `the call of ${name} has no "arguments"`
    calls.push({ ...withId(members['id'], 'id'), function: { name, arguments: args } })
  }
  return calls
}

function withId<Key extends 'id' | 'tool_call_id'>(value: unknown, key: Key): { readonly [K in Key]?: string } {
  return (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { readonly [K in Key]?: string }
}
