import { isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** Whether two values say the same, in whatever order their keys stand. An int and a float are never the same. */
export function sameValue(left: PyValue, right: PyValue): boolean {
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((item, at) => sameValue(item, right[at] ?? null))
  }
  if (isDict(left)) {
    if (!isDict(right) || left.size !== right.size) return false
    return [...left].every(([key, item]) => right.has(key) && sameValue(item, right.get(key) ?? null))
  }
  return Object.is(left, right)
}
