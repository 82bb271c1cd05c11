import { isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** Whether a value has a JSON-Schema type. A float without fraction is an integer; a truth value is no number. */
export function isOfType(value: PyValue, type: PyValue): boolean {
  if (type === 'null') return value === null
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'string') return typeof value === 'string'
  if (type === 'integer') return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
  if (type === 'number') return typeof value === 'bigint' || typeof value === 'number'
  if (type === 'array') return isList(value)
  return type === 'object' && isDict(value)
}

export const TYPE_NAMES: readonly string[] = ['null', 'boolean', 'string', 'integer', 'number', 'array', 'object']

/** Equality as JSON Schema means it: `1` equals `1.0`, `true` does not equal `1`. */
export function isEqual(a: PyValue, b: PyValue): boolean {
  if (typeof a === 'number' && typeof b === 'bigint') return isEqual(b, a)
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b)
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, at) => isEqual(item, b[at] ?? null))
  if (!isDict(a)) return a === b
  if (!isDict(b) || a.size !== b.size) return false
  return [...a].every(([key, item]) => b.has(key) && isEqual(item, b.get(key) ?? null))
}
