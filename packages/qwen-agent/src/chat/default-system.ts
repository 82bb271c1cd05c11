import type { Message } from '@callspec/core/qwen-agent'
import { lstrip } from '@callspec/python'
import type { ChatModel } from './model.ts'

const THINK = '<think>'
const THINK_END = '</think>'

/** The messages with the default system message in front, if there is one and they have none of their own. */
export function withDefaultSystem(messages: readonly Message[], model: ChatModel): readonly Message[] {
  const text = model.defaultSystemMessage
  if (text === '' || messages[0]?.role === 'system') return messages
  return [{ role: 'system', content: text }, ...messages]
}

/**
 * The history without thoughts, as v0.0.16 to v0.0.18 send it to models whose name has no `qwq`, in capitals or not
 * (spec §8.2 step 2).
 *
 * As in the reference: in a list only the first item with text is looked at.
 */
export function withoutThoughts(messages: readonly Message[], model: ChatModel): readonly Message[] {
  if (!model.profile.stripsThinkFromHistory || model.model.toLowerCase().includes('qwq')) return messages
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
  const end = text.lastIndexOf(THINK_END)
  return end < 0 || !text.includes(THINK) ? text : lstrip(text.slice(end + THINK_END.length))
}
