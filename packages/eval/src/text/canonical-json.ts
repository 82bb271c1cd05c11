import { hash } from 'node:crypto'
import { isRecord } from './json.ts'

/** SHA-256 of a text in UTF-8, in hex. */
export function sha256(text: string): string {
  return hash('sha256', text)
}

/** JSON in which equal values are equal texts: the keys of every object stand in the order of their UTF-16 units. */
export function canonicalJson(value: unknown): string {
  // Sorted first, because `JSON.stringify` is several times as slow with a function to ask.
  return JSON.stringify(inOrder(value, '')) ?? 'null'
}

/** The same value, or a copy of it where keys are not in order. */
function inOrder(given: unknown, key: string): unknown {
  if (typeof given !== 'object' || given === null) return given
  const value = writesItself(given) ? given.toJSON(key) : given
  if (Array.isArray(value)) {
    const items = value.map((item, at) => inOrder(item, String(at)))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  return isRecord(value) ? recordInOrder(value) : value
}

function writesItself(value: object): value is { toJSON(key: string): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function recordInOrder(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(record)
  let isSame = true
  const members = keys.map((key, index): readonly [string, unknown] => {
    const inner = inOrder(record[key], key)
    isSame &&= inner === record[key] && (index === 0 || (keys[index - 1] ?? '') < key)
    return [key, inner]
  })
  return isSame ? record : Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
}
