/** A plain value as JSON over several lines: maps as objects, big integers by their digits, other characters as they are. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  return JSON.stringify(value, replaced, 2)
}

function replaced(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value)
  if (typeof value === 'bigint') return `${value}`
  return value
}
