import type { Message } from '../messages/message.ts'
import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { Refusal } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { argumentsText, contentText, messageCalls, roleOf } from './message-view.ts'

/**
 * A conversation in the shape of Qwen-Agent: each call is a message of its own, and a result is a message of role
 * `function` with the name of its tool.
 */
export function qwenMessages({ messages }: Conversation): readonly Message[] {
  const names = new Map<string, string>()
  return messages.flatMap((message): readonly Message[] => {
    switch (roleOf(message)) {
      case 'system':
      case 'developer':
        return [{ role: 'system', content: textOf(message) }]
      case 'user':
        return [{ role: 'user', content: textOf(message) }]
      case 'assistant':
        return assistantMessages(message, names)
      case 'tool':
      case 'function':
        return [{ role: 'function', name: resultName(message, names), content: textOf(message) }]
      default:
        throw new Refusal(`there is no role "${roleOf(message)}"`)
    }
  })
}

function assistantMessages(message: PyDict, names: Map<string, string>): readonly Message[] {
  const given = message.get('reasoning_content')
  const thought = typeof given === 'string' && given !== '' ? { reasoning_content: given } : {}
  const text = textOf(message)
  const calls = messageCalls(message)
  const own: Message = { role: 'assistant', content: text, ...thought }
  const first = calls.length === 0 || text !== '' || 'reasoning_content' in own ? [own] : []
  return [
    ...first,
    ...calls.map(({ id, name, arguments: value }): Message => {
      if (id !== null) names.set(id, name)
      const text = value === null ? '' : argumentsText(value)
      return { role: 'assistant', content: '', function_call: { name, arguments: text } }
    }),
  ]
}

function resultName(message: PyDict, names: ReadonlyMap<string, string>): string {
  const [name, id] = [message.get('name'), message.get('tool_call_id')]
  if (typeof name === 'string') return name
  return typeof id === 'string' ? (names.get(id) ?? '') : ''
}

/** Texts of parts one after the other; what is no text as JSON. */
function textOf(message: PyDict): string {
  const content = message.get('content') ?? null
  if (!isList(content)) return isDict(content) ? dumps(content) : contentText(message)
  return content.map(partText).join('')
}

function partText(part: PyValue): string {
  const text = isDict(part) ? part.get('text') : part
  return typeof text === 'string' ? text : dumps(part)
}
