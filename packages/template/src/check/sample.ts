import { InputError, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { loads } from '@callspec/python/outcome'
import { readJson } from '../source/read-json.ts'

/** One conversation of a data set. */
export interface Sample {
  /** `FILE:LINE`. */
  readonly where: string
  readonly messages: readonly PyDict[]
  /** As given, or read from JSON text; null for a conversation without tools. */
  readonly tools: PyValue
  /** `chat_template_kwargs`, which trainers pass to the template. */
  readonly variables: PyDict
}

/**
 * Reads a line of a data set: an object with `messages` and perhaps `tools`, the list of messages alone, or a conversation of ShareGPT.
 * Other members are ignored.
 *
 * @throws InputError with file and line for a line without a conversation
 */
export function readSample(line: string, where: string): Sample {
  const value = readJson(line, where)
  const members: PyDict = isList(value) ? new Map([['messages', value]]) : isDict(value) ? value : new Map()
  const messages = members.has('messages') ? members.get('messages') : shareGptMessages(members, where)
  if (!isList(messages) || !messages.every(isDict))
    throw new InputError(
      where,
      'has no list of "messages" or "conversations". Each line is {"messages": [{"role": …}], "tools": […]}.',
    )
  const kwargs = members.get('chat_template_kwargs')
  return { where, messages, tools: toolsIn(members, where), variables: isDict(kwargs) ? kwargs : new Map() }
}

/** ShareGPT's names of the speakers, with their roles. */
const ROLES: ReadonlyMap<PyValue | undefined, string> = new Map([
  ...['human', 'user'].map((name) => [name, 'user'] as const),
  ...['gpt', 'assistant', 'model', 'chatgpt', 'bot'].map((name) => [name, 'assistant'] as const),
  ...['tool', 'observation', 'function_response'].map((name) => [name, 'tool'] as const),
  ['system', 'system'],
  ['function_call', 'assistant'],
])

/** The messages of a conversation as ShareGPT writes it (`from`, `value`), the system message first; null for none. */
function shareGptMessages(members: PyDict, where: string): PyValue {
  const turns = members.get('conversations')
  if (!isList(turns) || turns.length === 0 || !turns.every(isDict)) return null
  const system = members.get('system')
  const first = typeof system === 'string' && system !== '' ? [messageWith('system', system)] : []
  return [
    ...first,
    ...turns.map((turn, index) => {
      const from = turn.get('from') ?? turn.get('role')
      const role = ROLES.get(from)
      const value = turn.get('value') ?? turn.get('content') ?? ''
      if (role === undefined)
        throw new InputError(
          where,
          `"from" of turn ${index + 1} is ${JSON.stringify(from ?? null).slice(0, 60)}. Known are ${[...ROLES.keys()].join(', ')}.`,
        )
      const calls = from === 'function_call' ? callsIn(value) : []
      return calls.length === 0 ? messageWith(role, value) : messageWith(role, '').set('tool_calls', calls)
    }),
  ]
}

function messageWith(role: string, content: PyValue): Map<string, PyValue> {
  return new Map<string, PyValue>([
    ['role', role],
    ['content', content],
  ])
}

/** The calls in the text of a turn: an object of JSON, or a list of them; none in any other text. */
function callsIn(value: PyValue): readonly PyDict[] {
  const read = typeof value === 'string' ? loads(value) : null
  const given = read === null ? value : read.kind === 'returned' ? read.value : null
  const calls = isList(given) ? given : [given]
  if (!calls.every((call): call is PyDict => isDict(call) && typeof call.get('name') === 'string')) return []
  return calls.map(
    (call) =>
      new Map<string, PyValue>([
        ['type', 'function'],
        ['function', call],
      ]),
  )
}

/** A table column cannot hold schemas of many shapes, so that tools are often JSON text. */
function toolsIn(members: PyDict, where: string): PyValue {
  const tools = members.get('tools') ?? null
  const read = typeof tools === 'string' && tools.trim() !== '' ? readJson(tools, `${where}: "tools"`) : tools
  if (read === null || read === '') return null
  if (isList(read)) return read
  throw new InputError(where, '"tools" is neither a list nor JSON text of one.')
}

/** The indexes of the assistant's messages. */
export function turnsOf({ messages }: Sample): readonly number[] {
  return messages.flatMap((message, index) => (message.get('role') === 'assistant' ? [index] : []))
}
