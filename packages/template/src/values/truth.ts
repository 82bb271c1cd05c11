import type { Thing, Value } from './value.ts'
import { isDict, isList } from './value.ts'

/** Python's truth: what is empty, zero, None or undefined is false. */
export function truthy(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value !== ''
    case 'bigint':
      return value !== 0n
    case 'number':
      return value !== 0
    default:
      if (value === null) return false
      if (isList(value)) return value.length > 0
      return isDict(value) ? value.size > 0 : isFull(value)
  }
}

function isFull(thing: Thing): boolean {
  switch (thing.kind) {
    case 'undefined':
      return false
    case 'tuple':
      return thing.items.length > 0
    case 'markup':
      return thing.text !== ''
    case 'bytes':
      return thing.bytes.length > 0
    case 'range':
      return thing.length > 0
    case 'view':
      return thing.dict.size > 0
    case 'instance':
      return thing.length === undefined || thing.length() > 0
    default:
      return true
  }
}
