import type { ContentItem, ItemMessage, Message, TextMessage } from './message.ts'
import type { Profile } from '../profile.ts'
import { strip } from '@callspec/python'
import { isTextOnly, textOf, typeAndValue } from './content-item.ts'
import { messageHasChinese } from './message-language.ts'
import { uploadNote, uploadsIn } from './upload-note.ts'

/** How the language of an upload note is found: given, or by looking for Chinese characters in the message. */
export type NoteLanguage = 'auto' | 'en' | 'zh'

/** What `toMultimodal` needs besides the message. */
export interface MultimodalOptions {
  readonly profile: Profile
  /** Whether a system or user message names its uploads in a note. */
  readonly addUpload: boolean
  /** Whether the note names images and videos too. */
  readonly addMultimodalUpload: boolean
  /** Whether the note names audio too. */
  readonly addAudioUpload: boolean
  readonly language: NoteLanguage
}

/** What `toText` needs besides the message. */
export interface TextOptions {
  readonly profile: Profile
  readonly addUpload: boolean
  readonly language: NoteLanguage
}

/**
 * The message with a list of items as content, files replaced by an upload note (spec §4.1,
 * `format_as_multimodal_message`).
 *
 * @throws Raise for items that the reference cannot name, see `uploadsIn` and `typeAndValue`
 */
export function toMultimodal(message: Message, options: MultimodalOptions): ItemMessage {
  const { profile } = options
  const given = itemsOf(message.content, profile)
  // Nothing to name: most messages.
  if (given.every(isTextOnly)) return withContent(message, given, profile)
  const kept = given.filter((item) => typeAndValue(item).type !== 'file')
  const note = noteFor(message, given, options)
  // As in the reference: a note of another version, with other white space, is not recognised (spec Q7).
  const known = note === null || kept.some((item) => item.text?.includes(note))
  return withContent(message, known ? kept : [{ text: note }, ...kept], profile)
}

/** The message with one text as content; images, audio and video vanish (spec §4.2, `format_as_text_message`). */
export function toText(message: Message, { profile, addUpload, language }: TextOptions): TextMessage {
  const items = toMultimodal(message, {
    profile,
    addUpload,
    addMultimodalUpload: addUpload,
    addAudioUpload: addUpload,
    language,
  })
  return { ...items, content: textOf(items.content) }
}

/** The stripped text of a message (spec §4.3, `extract_text_from_message`). Upload notes are left out unless asked for. */
export function extractText(
  message: Message,
  { profile, addUpload = false, language = 'auto' }: Partial<TextOptions> & Pick<TextOptions, 'profile'>,
): string {
  if (typeof message.content === 'string') return strip(message.content)
  return strip(toText(message, { profile, addUpload, language }).content)
}

function itemsOf(content: Message['content'], profile: Profile): readonly ContentItem[] {
  if (typeof content !== 'string') return content
  return content === '' && profile.emptyTextBecomes === 'no-items' ? [] : [{ text: content }]
}

function noteFor(message: Message, items: readonly ContentItem[], options: MultimodalOptions): string | null {
  const { profile, addUpload, language } = options
  // As in the reference: uploads are collected, and can fail, before anyone asks whether a note is wanted.
  const uploads = uploadsIn(items, options, profile)
  if (!addUpload || uploads.length === 0) return null
  if (message.role !== 'system' && message.role !== 'user') return null
  if (language !== 'auto') return uploadNote(uploads, language, profile)
  return uploadNote(uploads, messageHasChinese(message) ? 'zh' : 'en', profile)
}

/** As in the reference: only a tool result keeps its name. */
function withContent(message: Message, content: readonly ContentItem[], profile: Profile): ItemMessage {
  const { role, reasoning_content, name, function_call, extra } = message
  // Member by member, as in `readMessage`.
  const shown: { -readonly [Key in keyof ItemMessage]: ItemMessage[Key] } = { role, content }
  if (reasoning_content !== undefined) shown.reasoning_content = reasoning_content
  if (role === 'function' && name !== undefined) shown.name = name
  if (function_call !== undefined) shown.function_call = function_call
  if (extra !== undefined && profile.conversionKeepsExtra) shown.extra = extra
  return shown
}
