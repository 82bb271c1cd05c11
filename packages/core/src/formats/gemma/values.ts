import { isDict, isList, pyCompare, str } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { PartWriter } from '../../conversation/conversation.ts'
import { GEMMA_4 } from './grammar.ts'

/** Keys are quoted like texts in declarations, and plain in arguments and results. */
export type KeyStyle = 'plain' | 'quoted'

/** Writes a value as the template prints it: texts between tokens, keys sorted, null and numbers as Python prints them. */
export function writeValue(writer: PartWriter, value: PyValue, keys: KeyStyle): void {
  if (typeof value === 'string') return writeQuoted(writer, value)
  if (typeof value === 'boolean') return writer.text(value ? 'true' : 'false')
  if (isDict(value)) {
    writer.text('{')
    writeMembers(writer, value, keys)
    writer.text('}')
  } else if (isList(value)) {
    writer.text('[')
    writeEach(writer, value, (item) => writeValue(writer, item, keys))
    writer.text(']')
  } else writer.text(str(value))
}

/** Writes the members of a map, without its brackets. */
export function writeMembers(writer: PartWriter, dict: PyDict, keys: KeyStyle): void {
  writeEach(writer, sortedKeys(dict), (key) => {
    if (keys === 'quoted') writeQuoted(writer, key)
    else writer.text(key)
    writer.text(':')
    writeValue(writer, dict.get(key) ?? null, keys)
  })
}

/** Writes a text between the tokens that enclose every string. */
export function writeQuoted(writer: PartWriter, text: string): void {
  writer.add(GEMMA_4.quote, text, GEMMA_4.quote)
}

/** Writes each item, and a comma before all but the first. */
export function writeEach<Item>(writer: PartWriter, items: Iterable<Item>, write: (item: Item) => void): void {
  let isFirst = true
  for (const item of items) {
    if (!isFirst) writer.text(',')
    isFirst = false
    write(item)
  }
}

/** As Jinja's `dictsort`: by key, ignoring case, by code points. */
export function sortedKeys(dict: PyDict): readonly string[] {
  return [...dict.keys()].toSorted((one, other) => pyCompare(one.toLowerCase(), other.toLowerCase()))
}
