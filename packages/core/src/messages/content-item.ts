import type { ContentItem } from './message.ts'
import { isList, Raise } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** What an item is: the name of its one member (spec §1.3). */
export type ItemType = 'text' | 'image' | 'file' | 'audio' | 'video'

/** In dump order. */
export const ITEM_TYPES: readonly ItemType[] = ['text', 'image', 'file', 'audio', 'video']

/**
 * The type of an item and the value of that member.
 *
 * @throws Raise `ValueError` for an item with two members, such as `{"text": "t", "image": ""}`: validation lets it
 *   pass (the image does not count), and the reference then fails where it looks at it (`get_type_and_value`)
 */
export function typeAndValue(item: ContentItem): { readonly type: ItemType; readonly value: PyValue } {
  if (isTextOnly(item)) return { type: 'text', value: item.text ?? '' }
  const members = membersOf(item)
  const [first] = members
  if (first === undefined) throw new Raise('ValueError', 'not enough values to unpack (expected 1, got 0)')
  if (members.length > 1) throw new Raise('ValueError', 'too many values to unpack (expected 1)')
  return { type: first[0], value: first[1] }
}

/** The members that are not null, in dump order. */
export function dumpItem(item: ContentItem): PyDict {
  return new Map(membersOf(item))
}

/** The texts of an item list, with nothing in between; other items vanish. */
export function textOf(items: readonly ContentItem[]): string {
  let text = ''
  for (const item of items) text += textIn(item)
  return text
}

function textIn(item: ContentItem): string {
  return typeAndValue(item).type === 'text' ? (item.text ?? '') : ''
}

/** Whether an item has a text and nothing else: the common case, told apart without building lists. */
export function isTextOnly({ text, image, file, audio, video }: ContentItem): boolean {
  return (
    typeof text === 'string' && image === undefined && file === undefined && audio === undefined && video === undefined
  )
}

function membersOf(item: ContentItem): readonly (readonly [ItemType, PyValue])[] {
  return ITEM_TYPES.flatMap((type): readonly (readonly [ItemType, PyValue])[] => {
    const value = item[type]
    if (value === undefined || value === null) return []
    return [[type, isList(value) ? [...value] : value]]
  })
}
