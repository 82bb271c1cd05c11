import type { Message, Profile, Tokenizer } from '@callspec/core/qwen-agent'
import { truncate as truncateText } from '../tokenizer-truncate.ts'
import { extractText } from '@callspec/core/reference'
import { callPythonText } from '@callspec/core/qwen-agent'

/** What truncation needs besides the messages. */
export interface TruncateMessagesOptions {
  /** The budget, system message included. */
  readonly maxTokens: number
  readonly tokenizer: Tokenizer
  readonly profile: Profile
}

/** How many tokens a message counts (spec §9): its text with upload notes, or, where calls count, the text of its call. */
export function countTokens(message: Message, { tokenizer, profile }: TruncateMessagesOptions): number {
  if (profile.countsCalls && message.role === 'assistant' && message.function_call) {
    return tokenizer.count(callPythonText(message.function_call))
  }
  return tokenizer.count(extractText(message, { profile, addUpload: true }))
}

/**
 * A new message with only the role and the cut text; name, call, extra and reasoning are lost (`_truncate_message`).
 *
 * @returns null if an item has no text: such a message cannot be cut
 */
export function cutMessage(
  message: Message,
  maxTokens: number,
  options: { readonly tokenizer: Tokenizer; readonly profile: Profile; readonly keepBothSides: boolean },
): Message | null {
  const content = textToCut(message)
  if (content === null) return null
  return { role: message.role, content: truncateText(content, { ...options, maxTokens }) }
}

function textToCut({ content }: Message): string | null {
  if (typeof content === 'string') return content
  const texts = content.map((item) => item.text ?? '')
  return texts.includes('') ? null : texts.join('\n')
}
