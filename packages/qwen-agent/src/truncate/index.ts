import type { Message } from '@callspec/core/qwen-agent'
import { unreachable } from '@callspec/python'
import { keepNewestMessages } from './newest-messages.ts'
import { shrinkOldestTurns } from './oldest-turns.ts'
import type { TruncateMessagesOptions } from './tokens.ts'
import { keepWholeTurns } from './whole-turns.ts'

export { countTokens } from './tokens.ts'
export type { TruncateMessagesOptions } from './tokens.ts'

/**
 * The messages cut to a budget, as the reference does it before every chat call (spec §9,
 * `_truncate_input_messages_roughly`).
 *
 * A null in the result is a message with an image or file that could not be cut (main only); whatever the reference
 * does next with the list fails.
 *
 * @throws Raise `ModelServiceError` for messages that cannot be cut to the budget, `IndexError` where one is missing,
 *   `AssertionError` for turns that the profile cannot shrink
 */
export function truncateInputMessages(
  messages: readonly Message[],
  options: TruncateMessagesOptions,
): readonly (Message | null)[] {
  const rule = options.profile.truncation
  switch (rule) {
    case 'whole-turns':
      return keepWholeTurns(messages, options)
    case 'messages-from-newest':
    case 'messages-and-results-from-newest':
      return keepNewestMessages(messages, options)
    case 'shrink-oldest-turns':
      return shrinkOldestTurns(messages, options)
    default:
      return unreachable(rule)
  }
}
