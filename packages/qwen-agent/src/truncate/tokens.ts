import type { Message, Profile, Tokenizer } from '@callspec/core/qwen-agent'
import { callPythonText } from '@callspec/core/qwen-agent'
import { extractText } from '@callspec/core/reference'

/** The budget of a truncation, and what counts tokens. */
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
  return { role: message.role, content: truncate(content, { ...options, maxTokens }) }
}

function textToCut({ content }: Message): string | null {
  if (typeof content === 'string') return content
  const texts = content.map((item) => item.text ?? '')
  return texts.includes('') ? null : texts.join('\n')
}

/** Options of `truncate`. */
export interface TruncateOptions {
  readonly tokenizer: Tokenizer
  readonly profile: Profile
  /** How many tokens may stay; a negative number drops that many from the end, as a Python slice does. */
  readonly maxTokens: number
  /** How many tokens are dropped from the front before anything is counted; negative counts from the end. */
  readonly startToken?: number
  /** Whether the middle goes instead of the end. Ignored in profiles that have no such option. */
  readonly keepBothSides?: boolean
}

const ELLIPSIS = '...'

/**
 * Cuts a text down to `maxTokens` tokens (spec §3, `truncate` of the reference's tokenizer).
 *
 * What comes back has been encoded and decoded also where nothing was cut: it is NFC-normalised, and a character whose
 * bytes were parted ends in U+FFFD. Linear in the text, apart from what the tokenizer costs.
 */
export function truncate(text: string, options: TruncateOptions): string {
  const { tokenizer, profile, maxTokens } = options
  const { startToken = 0 } = options
  const all = tokenizer.encode(text)
  // As in the reference: the old slice ends at the sum of both numbers, which matters when one is negative.
  if (!profile.tokenizerKeepsBothSides) return tokenizer.decode(all.slice(startToken, startToken + maxTokens))
  const tokens = all.slice(startToken)
  if (tokens.length <= maxTokens) return tokenizer.decode(tokens)

  const ellipsis = tokenizer.encode(ELLIPSIS)
  const room = maxTokens - ellipsis.length
  const bothSides = options.keepBothSides === true && room > 0
  if (!bothSides) return tokenizer.decode(tokens.slice(0, maxTokens))

  const left = Math.floor(room / 2)
  return tokenizer.decode([...tokens.slice(0, left), ...ellipsis, ...tokens.slice(left - room)])
}
