import { isDict, isList, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * Data with `null` where a model wrote NaN or undefined: formats write what is no JSON as a text, which would be something
 * else again, and `null` is no value either.
 */
export function withNull(value: PyDict): PyDict
export function withNull(value: PyValue): PyValue
export function withNull(value: PyValue): PyValue {
  if (isList(value)) return value.map((item) => withNull(item))
  if (isDict(value)) return new Map([...value].map(([key, member]) => [key, withNull(member)] as const))
  return Number.isNaN(toPlain(value)) ? null : value
}
