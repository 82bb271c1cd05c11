import { pyLength, Raise } from '@callspec/python'
import { typeName } from './type-name.ts'
import type { Thing, Value } from './value.ts'
import { isDict, isList, isThing, textOf } from './value.ts'

/** Python's `len(value)`. Raises TypeError for what has no length. */
export function lengthOf(value: Value): number {
  const length = knownLength(value)
  if (length === null) throw new Raise('TypeError', `object of type '${typeName(value)}' has no len()`)
  return length
}

/** Python's `len(value)`, or null for what has no length. */
export function knownLength(value: Value): number | null {
  const text = textOf(value)
  if (text !== null) return pyLength(text)
  if (value === null || typeof value !== 'object') return null
  if (isList(value)) return value.length
  if (isDict(value)) return value.size
  return isThing(value) ? thingLength(value) : null
}

function thingLength(thing: Thing): number | null {
  switch (thing.kind) {
    case 'tuple':
      return thing.items.length
    case 'bytes':
      return thing.bytes.length
    case 'range':
      return thing.length
    case 'view':
      return thing.dict.size
    case 'undefined':
      return 0
    case 'instance':
      return thing.length === undefined ? null : thing.length()
    default:
      return null
  }
}
