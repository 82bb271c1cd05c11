import type { Message } from '../../message.ts'
import type { Profile } from '../../profile.ts'
import type { Tokenizer } from '../../tokenizer.ts'
import { extractText } from '../multimodal.ts'
import { callPythonText } from '../python-text.ts'

/** What truncation needs besides the messages. */
export interface TruncateOptions {
  /** The budget, system message included. */
  readonly maxTokens: number
  readonly tokenizer: Tokenizer
  readonly profile: Profile
}

export interface TruncateTextOptions {
  readonly tokenizer: Tokenizer
  /** A negative number drops that many tokens from the end, as a Python slice does. */
  readonly maxTokens: number
  /** How many tokens are dropped from the front first. Default 0. */
  readonly startToken?: number
  /** Whether the middle goes, with `...` in its place, instead of the end. */
  readonly keepBothSides?: boolean
}

/**
 * The text cut to a number of tokens (spec §3, `truncate`). Also a text that fits comes back as its tokens decode, that
 * is NFC-normalised.
 */
export function truncateText(text: string, options: TruncateTextOptions): string {
  const { tokenizer, maxTokens, startToken = 0, keepBothSides = false } = options
  const tokens = tokenizer.encode(text).slice(startToken)
  if (tokens.length <= maxTokens) return tokenizer.decode(tokens)
  if (!keepBothSides) return tokenizer.decode(tokens.slice(0, maxTokens))
  const ellipsis = tokenizer.encode('...')
  const room = maxTokens - ellipsis.length
  if (room <= 0) return tokenizer.decode(tokens.slice(0, maxTokens))
  const left = Math.floor(room / 2)
  const right = room - left
  return tokenizer.decode([...tokens.slice(0, left), ...ellipsis, ...tokens.slice(tokens.length - right)])
}

/** How many tokens a message counts (spec §9): its text with upload notes, or, where calls count, the text of its call. */
export function countTokens(message: Message, { tokenizer, profile }: TruncateOptions): number {
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
  { tokenizer, keepBothSides }: { readonly tokenizer: Tokenizer; readonly keepBothSides: boolean },
): Message | null {
  const content = textToCut(message)
  if (content === null) return null
  return { role: message.role, content: truncateText(content, { tokenizer, maxTokens, keepBothSides }) }
}

function textToCut({ content }: Message): string | null {
  if (typeof content === 'string') return content
  const texts = content.map((item) => item.text ?? '')
  return texts.includes('') ? null : texts.join('\n')
}
