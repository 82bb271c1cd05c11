import type { Content, ItemMessage, Message, TextMessage } from '../message.ts'
import type { Profile } from '../profile.ts'
import type { PyValue } from '../python/value.ts'
import type { MultimodalOptions, TextOptions } from '../qwen-agent/multimodal.ts'
import type { RemoveCallsOptions } from '../qwen-agent/remove-fncall-messages.ts'
import type { TruncateMessagesOptions } from '../qwen-agent/truncate/index.ts'
import type { ValidateResultsOptions } from '../qwen-agent/validate-fncall-results.ts'
import { attempt } from '../raise.ts'
import type { Outcome } from '../raise.ts'
import * as reference from '../reference.ts'
import { checkProfile, givenMessage, givenMessages } from './given.ts'

/**
 * One message as the reference's `Message(**value)` reads it (spec §1), or the error of its validation. Messages that a
 * caller wrote are better read with `readMessages`, which names the place of a fault.
 */
export function readMessage(value: PyValue, profile: Profile): Outcome<Message> {
  checkProfile(profile)
  return attempt(() => reference.readMessage(value, profile))
}

/** The message with a list of items as content, files replaced by an upload note (spec §4.1). */
export function toMultimodal(message: Message, options: MultimodalOptions): Outcome<ItemMessage> {
  const given = givenMessage(message, options.profile)
  return attempt(() => reference.toMultimodal(given, options))
}

/** The message with one text as content; images, audio and video vanish (spec §4.2). */
export function toText(message: Message, options: TextOptions): Outcome<TextMessage> {
  const given = givenMessage(message, options.profile)
  return attempt(() => reference.toText(given, options))
}

/** The stripped text of a message (spec §4.3). Upload notes are left out unless asked for. */
export function extractText(
  message: Message,
  options: Partial<TextOptions> & Pick<TextOptions, 'profile'>,
): Outcome<string> {
  const given = givenMessage(message, options.profile)
  return attempt(() => reference.extractText(given, options))
}

/** Python's `str(content)`: a text as it is, items as `[ContentItem({'text': 't'})]` (spec §2.6). */
export function pythonText(content: Content): Outcome<string> {
  return attempt(() => reference.pythonText(content))
}

/** The history without calls: calls and results become text of a user message (spec §8.3). */
export function removeFncallMessages(
  messages: readonly Message[],
  options: RemoveCallsOptions,
): Outcome<readonly Message[]> {
  const given = givenMessages(messages, options.profile)
  return attempt(() => reference.removeFncallMessages(given, options))
}

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
