import { isLiteralDict, isLiteralList, Raise, repr } from '@callspec/python'
import type { PyLiteral, PyLiteralDict } from '@callspec/python'

/** What Python's `type()` says of a value that a decoder made. Everything that no answer can be is `other`. */
export type PyType = 'none' | 'bool' | 'int' | 'float' | 'str' | 'list' | 'dict' | 'tuple' | 'other'

/** The Python type of a value: a bool is no int, `1` is another type than `1.0`, and a tuple is no list. */
export function pyType(value: PyLiteral): PyType {
  if (value === null) return 'none'
  if (isLiteralList(value)) return 'list'
  if (isLiteralDict(value)) return 'dict'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    case 'string':
      return 'str'
    default:
      return value.kind === 'tuple' ? 'tuple' : value.kind === 'code-points' ? 'str' : 'other'
  }
}

/** The items of a list or tuple; null for anything else. */
export function sequenceOf(
  value: PyLiteral,
): { readonly type: 'list' | 'tuple'; readonly items: readonly PyLiteral[] } | null {
  if (isLiteralList(value)) return { type: 'list', items: value }
  const isTuple = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'tuple'
  return isTuple ? { type: 'tuple', items: value.items } : null
}

/** Python's `==`: numbers and bools are compared by value across types, so that `True == 1 == 1.0`. Work: the smaller value. */
export function pyEquals(one: PyLiteral, other: PyLiteral): boolean {
  const left = numeric(one)
  const right = numeric(other)
  if (left !== null && right !== null) return sameNumber(left, right)
  const [items, others] = [sequenceOf(one), sequenceOf(other)]
  if (items !== null && others !== null) return items.type === others.type && sameItems(items.items, others.items)
  if (isLiteralDict(one) && isLiteralDict(other))
    return one.size === other.size && [...one].every((entry) => holds(other, entry))
  return one === other
}

/** Whether a list has an element that equals `value`: Python's `in`. */
export function pyIn(value: PyLiteral, list: readonly PyLiteral[]): boolean {
  return list.some((item) => pyEquals(item, value))
}

/**
 * A text that two values share exactly if Python takes them for the same key: `1`, `1.0` and `True` are one.
 *
 * @throws Raise TypeError for a list or dict, which cannot be keys
 */
export function dictKey(value: PyLiteral): string {
  if (typeof value === 'string') return `s${value}`
  const number = numeric(value)
  if (number !== null) return `n${Number.isInteger(number) ? BigInt(number) : number}`
  if (isLiteralList(value) || isLiteralDict(value)) throw new Raise('TypeError', 'unhashable type')
  const sequence = sequenceOf(value)
  return sequence === null ? repr(value) : `t${JSON.stringify(sequence.items.map(dictKey))}`
}

function sameItems(one: readonly PyLiteral[], other: readonly PyLiteral[]): boolean {
  return one.length === other.length && one.every((item, index) => pyEquals(item, other[index] ?? null))
}

function numeric(value: PyLiteral): bigint | number | null {
  if (typeof value === 'boolean') return value ? 1n : 0n
  return typeof value === 'bigint' || typeof value === 'number' ? value : null
}

/** An int and a float are equal when they are the same number, however large. */
function sameNumber(left: bigint | number, right: bigint | number): boolean {
  if (typeof left === typeof right) return left === right
  const [int, float] = typeof left === 'bigint' ? [left, right] : [right, left]
  return Number.isInteger(float) && BigInt(float) === int
}

function holds(dict: PyLiteralDict, [key, value]: readonly [PyLiteral, PyLiteral]): boolean {
  const other = dict.get(key)
  return other !== undefined && pyEquals(value, other)
}
