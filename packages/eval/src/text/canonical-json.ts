import { createHash } from 'node:crypto'
import { isRecord } from './json.ts'

/** SHA-256 of a text in UTF-8, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** JSON in which equal values are equal texts: the keys of every object stand in the order of their UTF-16 units. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner)) ?? 'null'
}

function sorted(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(record)
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key)
    ? record
    : Object.fromEntries(keys.sort().map((key) => [key, record[key]]))
}
