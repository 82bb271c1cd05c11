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
