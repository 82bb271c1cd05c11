import { isTooDeepJson } from '@callspec/python'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no list, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text of JSON holds; null for any other text. Members such as `__proto__` are members. */
export function objectIn(text: string): JsonObject | null {
  const value = parsedJson(text)
  return isJsonObject(value) ? value : null
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  return parsedJson(text) !== undefined
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
