import { isDict, isList } from '@callspec/core'
import type { PyValue } from '@callspec/core'

/** What Python's `type()` says of a value that came out of JSON. */
export type PyType = 'none' | 'bool' | 'int' | 'float' | 'str' | 'list' | 'dict'

/** The Python type of a value: a bool is no int, and `1` is another type than `1.0`. */
export function pyType(value: PyValue): PyType {
  if (value === null) return 'none'
  if (isList(value)) return 'list'
  if (isDict(value)) return 'dict'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    default:
      return 'str'
  }
}

/** Python's `==`: numbers and bools are compared by value across types, so that `True == 1 == 1.0`. Work: the smaller value. */
export function pyEquals(one: PyValue, other: PyValue): boolean {
  const left = numeric(one)
  const right = numeric(other)
  if (left !== null && right !== null) return sameNumber(left, right)
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, index) => pyEquals(item, other[index] ?? null))
  if (isDict(one) && isDict(other)) return one.size === other.size && [...one].every((entry) => holds(other, entry))
  return one === other
}

/** Whether a list has an element that equals `value`: Python's `in`. */
export function pyIn(value: PyValue, list: readonly PyValue[]): boolean {
  return list.some((item) => pyEquals(item, value))
}

function numeric(value: PyValue): bigint | number | null {
  if (typeof value === 'boolean') return value ? 1n : 0n
  return typeof value === 'bigint' || typeof value === 'number' ? value : null
}

/** An int and a float are equal when they are the same number, however large. */
function sameNumber(left: bigint | number, right: bigint | number): boolean {
  if (typeof left === typeof right) return left === right
  const [int, float] = typeof left === 'bigint' ? [left, right] : [right, left]
  return Number.isInteger(float) && BigInt(float) === int
}

function holds(dict: ReadonlyMap<string, PyValue>, [key, value]: readonly [string, PyValue]): boolean {
  const other = dict.get(key)
  return other !== undefined && pyEquals(value, other)
}
