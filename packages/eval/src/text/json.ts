import { isTooDeepJson, isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** Values nested deeper than this count as unreadable: validators and printers of other people recurse. */
export const MAX_DEPTH = 100

/** Whether a value nests deeper than `MAX_DEPTH`. Level by level, so that no depth is too much for this one. */
export function isTooDeep(value: PyValue): boolean {
  let level: readonly PyValue[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    level = below(level)
  }
  return false
}

function below(level: readonly PyValue[]): readonly PyValue[] {
  const values: PyValue[] = []
  for (const item of level) {
    if (isDict(item)) for (const value of item.values()) values.push(value)
    else if (isList(item)) for (const value of item) values.push(value)
  }
  return values
}

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no list, no null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text, or an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The value of a JSON text; undefined for any other text, and for one nested deeper than 995 levels. */
export function parsedJson(text: string): unknown {
  if (isTooDeepJson(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  return parsedJson(text) !== undefined
}

/** The object that a text of JSON holds; null for any other text. */
export function objectIn(text: string): JsonRecord | null {
  const value = parsedJson(text)
  return isRecord(value) ? value : null
}
