import type { ContentItem, ItemMessage, Message } from '../messages/message.ts'
import type { Profile } from '../profile.ts'
import { Raise } from '@callspec/python'

/** A message of the prompt while later messages may still be merged into it. */
export interface Draft {
  readonly message: Message
  readonly items: ContentItem[]
}

/** A copy of a message, with items that may grow. */
export function draftOf(message: Message): Draft {
  return { message, items: itemsOf(message) }
}

/** The messages as they are now. */
export function finishDrafts(drafts: readonly Draft[]): readonly ItemMessage[] {
  return drafts.map(({ message, items }) => ({ ...message, content: items }))
}

/**
 * Adds the tool section: to a first system message after a blank line, else as a system message of its own.
 *
 * @throws Raise `IndexError` without messages, in older versions
 */
export function addToolSection(drafts: Draft[], section: string, { promptsExpectMessages }: Profile): void {
  const first = drafts[0]
  if (first === undefined && promptsExpectMessages) throw indexError()
  if (first?.message.role === 'system') first.items.push({ text: `\n\n${section}` })
  else drafts.unshift({ message: { role: 'system', content: [] }, items: [{ text: section }] })
}

/**
 * The message that was written last.
 *
 * @throws Raise `IndexError` where there is none yet
 */
export function lastDraft(drafts: readonly Draft[]): Draft {
  const last = drafts.at(-1)
  if (last === undefined) throw indexError()
  return last
}

/**
 * The items of a result.
 *
 * @throws Raise `AssertionError` for a text: the reference asks for a list here
 */
export function resultItemsOf({ content }: Message): readonly ContentItem[] {
  if (typeof content === 'string') throw new Raise('AssertionError', '')
  return content
}

/** What Python says about `list[-1]` of an empty list, and about `list[0]`. */
export function indexError(): Raise {
  return new Raise('IndexError', 'list index out of range')
}

/** A fresh list of the items of a message; a text counts as one item, an empty one as none. */
export function itemsOf(message: Message): ContentItem[] {
  if (typeof message.content !== 'string') return [...message.content]
  return message.content === '' ? [] : [{ text: message.content }]
}
