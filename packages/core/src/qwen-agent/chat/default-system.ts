import type { Message } from '../../message.ts'
import { lstrip } from '../../python/strip.ts'
import type { ChatModel } from './model.ts'

const THINK = '<think>'
const THINK_END = '</think>'

/** The messages with the default system message in front, if there is one and they have none of their own. */
export function withDefaultSystem(messages: readonly Message[], model: ChatModel): readonly Message[] {
  const text = model.defaultSystemMessage
  if (text === '' || messages[0]?.role === 'system') return messages
  return [{ role: 'system', content: text }, ...messages]
}

/** The messages as the OpenAI-style client of v0.0.16 to v0.0.18 sends them: without an unchanged default system text. */
export function withoutDefaultSystem(messages: readonly Message[], model: ChatModel): readonly Message[] {
  const [first, ...rest] = messages
  if (!model.profile.dropsDefaultSystemMessage || first?.role !== 'system') return messages
  return first.content === model.defaultSystemMessage ? rest : messages
}

/**
 * The history without thoughts, as v0.0.16 to v0.0.18 send it to models whose name has no `qwq` (spec §8.2 step 2).
 *
 * As in the reference: in a list only the first item with text is looked at.
 */
export function withoutThoughts(messages: readonly Message[], model: ChatModel): readonly Message[] {
  if (!model.profile.stripsThinkFromHistory || model.model.includes('qwq')) return messages
  return messages.map((message) => (message.role === 'assistant' ? withoutThought(message) : message))
}

function withoutThought(message: Message): Message {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: afterThought(content) }
  const at = content.findIndex((item) => item.text)
  return {
    ...message,
    content: content.map((item, index) => (index === at ? { text: afterThought(item.text ?? '') } : item)),
  }
}

function afterThought(text: string): string {
  if (!text.includes(THINK)) return text
  const end = text.lastIndexOf(THINK_END)
  return lstrip(end < 0 ? text : text.slice(end + THINK_END.length))
}
