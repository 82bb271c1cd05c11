import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import { asksForReply, roleOf, textMember } from '../../conversation/message-view.ts'

/**
 * The prompt of Phi-4-mini. Its template looks at no tools but those that stand as a text in the member `tools` of a
 * system message, and at no calls: those of the history stand in the content, or nowhere.
 */
export function prompt({ messages, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    for (const message of messages) {
      const role = roleOf(message)
      writer.add(`<|${role}|>`, textMember(message, 'content'))
      const tools = message.get('tools') ?? null
      if (role === 'system' && tools !== null) writer.add('<|tool|>', textMember(message, 'tools'), '<|/tool|>')
      writer.add('<|end|>')
    }
    writer.add(asksForReply(options) ? '<|assistant|>' : '<|endoftext|>')
    return writer.parts()
  })
}
