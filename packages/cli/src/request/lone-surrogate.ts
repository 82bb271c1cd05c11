import { isDict, isList, type PyValue } from '@callspec/python'
import type { RequestFile } from './request-file.ts'

/**
 * The place of the first lone surrogate in a request, such as `messages[0].content`; null when it has none. One in a key
 * is placed at the map that has the key.
 */
export function loneSurrogateIn(file: RequestFile): string | null {
  for (const { key, value } of file.members.values()) {
    const path = pathIn(value, key)
    if (path !== null) return path
  }
  return null
}

function pathIn(value: PyValue, path: string): string | null {
  if (typeof value === 'string') return isBroken(value) ? path : null
  if (isList(value)) return first(value.map((item, index) => [`${path}[${index}]`, item]))
  if (!isDict(value)) return null
  if ([...value.keys()].some(isBroken)) return path
  return first([...value].map(([key, item]) => [`${path}.${key}`, item]))
}

function first(entries: readonly (readonly [string, PyValue])[]): string | null {
  for (const [path, item] of entries) {
    const found = pathIn(item, path)
    if (found !== null) return found
  }
  return null
}

function isBroken(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}
