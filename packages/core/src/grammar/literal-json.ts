import { dumps, readLiteral, attempt } from '@callspec/python'
import type { PyLiteral, PyValue } from '@callspec/python'

/** The JSON of a Python literal; null for what is none, or what JSON has no word for, such as a tuple or an infinity. */
export function jsonOfLiteral(text: string): string | null {
  const read = attempt(() => readLiteral(text))
  if (read.kind !== 'returned') return null
  const value = jsonValue(read.value)
  return value === undefined ? null : dumps(value)
}

/** Undefined where JSON has no such value. */
function jsonValue(value: PyLiteral): PyValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return listOf(value as readonly PyLiteral[])
  return value instanceof Map ? dictOf(value as ReadonlyMap<PyLiteral, PyLiteral>) : undefined
}

function listOf(items: readonly PyLiteral[]): readonly PyValue[] | undefined {
  const values: PyValue[] = []
  for (const item of items) {
    const value = jsonValue(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function dictOf(members: ReadonlyMap<PyLiteral, PyLiteral>): ReadonlyMap<string, PyValue> | undefined {
  const dict = new Map<string, PyValue>()
  for (const [key, given] of members) {
    const value = jsonValue(given)
    if (typeof key !== 'string' || value === undefined) return undefined
    dict.set(key, value)
  }
  return dict
}
