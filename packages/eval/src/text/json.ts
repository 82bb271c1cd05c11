import { isTooDeepJson } from '@callspec/python'

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
