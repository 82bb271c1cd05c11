import type { Content, ItemMessage, Message, TextMessage } from '../messages/message.ts'
import type { Profile } from '../profile.ts'
import type { PyValue, Outcome } from '@callspec/python'
import type { MultimodalOptions, TextOptions } from '../messages/multimodal.ts'
import type { RemoveCallsOptions } from '../messages/remove-fncall-messages.ts'
import { attempt } from '@callspec/python'
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
