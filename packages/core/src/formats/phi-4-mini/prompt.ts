import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import { roleOf } from '../../conversation/message-view.ts'
import { truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/**
 * The prompt of Phi-4-mini. Its template looks at no tools but those that stand as a text in the member `tools` of a
 * system message, and at no calls: those of the history stand in the content, or nowhere.
 */
export function prompt({ messages, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    for (const message of messages) {
      const role = roleOf(message)
      writer.add(`<|${role}|>`, textIn(message, 'content'))
      const tools = message.get('tools') ?? null
      if (role === 'system' && tools !== null) writer.add('<|tool|>', textIn(message, 'tools'), '<|/tool|>')
      writer.add('<|end|>')
    }
    const isAsked = !options.has('add_generation_prompt') || truthy(options.get('add_generation_prompt'))
    writer.add(isAsked ? '<|assistant|>' : '<|endoftext|>')
    return writer.parts()
  })
}

function textIn(message: PyDict, key: 'content' | 'tools'): string {
  const value = message.get(key)
  if (typeof value !== 'string') throw new Refusal(`the ${key} of a message of role ${roleOf(message)} is no text`)
  return value
}
