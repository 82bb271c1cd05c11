import type { ContentItem, ItemMessage, Message } from '../message.ts'

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

/** Adds the tool section: to a first system message after a blank line, else as a system message of its own. */
export function addToolSection(drafts: Draft[], section: string): void {
  const first = drafts[0]
  if (first?.message.role === 'system') first.items.push({ text: `\n\n${section}` })
  else drafts.unshift({ message: { role: 'system', content: [] }, items: [{ text: section }] })
}

/** A fresh list of the items of a message; a text counts as one item, an empty one as none. */
export function itemsOf(message: Message): ContentItem[] {
  if (typeof message.content !== 'string') return [...message.content]
  return message.content === '' ? [] : [{ text: message.content }]
}
