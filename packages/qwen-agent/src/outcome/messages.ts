import { givenMessage, givenMessages } from '@callspec/core/reference'
import type { Message } from '@callspec/core/qwen-agent'
import { attempt } from '@callspec/python'
import type { Outcome } from '@callspec/python'
import * as reference from '../reference.ts'
import type { TruncateMessagesOptions } from '../truncate/index.ts'
import type { ValidateResultsOptions } from '../validate-fncall-results.ts'

/** `true` where the results at the end of a history match the calls before them, in number and order (spec §8.6). */
export function validateFncallResults(messages: readonly Message[], options: ValidateResultsOptions): Outcome<true> {
  const given = givenMessages(messages, options.profile)
  return attempt(() => {
    reference.validateFncallResults(given, options)
    return true as const
  })
}

/** The messages with an answer that the model is to continue merged into the user message before it (spec §8.4). */
export function mergeContinuation(messages: readonly Message[]): Outcome<readonly Message[]> {
  return attempt(() => reference.mergeContinuation(messages))
}

/**
 * The messages cut to a budget (spec §9). A null is a message with an image or file that could not be cut (main only);
 * whatever the reference does next with the list fails.
 */
export function truncateInputMessages(
  messages: readonly Message[],
  options: TruncateMessagesOptions,
): Outcome<readonly (Message | null)[]> {
  const given = givenMessages(messages, options.profile)
  return attempt(() => reference.truncateInputMessages(given, options))
}

/** How many tokens a message counts (spec §9): its text with upload notes, or the text of its call where calls count. */
export function countTokens(message: Message, options: TruncateMessagesOptions): Outcome<number> {
  const given = givenMessage(message, options.profile)
  return attempt(() => reference.countTokens(given, options))
}
