import { Raise } from '@callspec/python'
import { typeName } from '../values/type-name.ts'
import { undefinedError } from '../values/undefined.ts'
import type { Value } from '../values/value.ts'
import { isUndefined, stringValue } from '../values/value.ts'

/** An argument that must be an int, as far as a `number` holds one. Raises TypeError for another. */
export function intArgument(value: Value): number {
  const int = Number(bigIntArgument(value))
  return Math.min(Math.max(int, -MAX), MAX)
}

/** An argument that must be an int. Raises TypeError for another. */
export function bigIntArgument(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return BigInt(value)
  throw new Raise('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`)
}

const MAX = 2 ** 53

/** An argument that must be a text. Raises TypeError for another. */
export function textArgument(value: Value, place = 'argument'): string {
  const text = stringValue(value)
  if (text !== null) return text
  throw new Raise('TypeError', `${place} must be str, not ${typeName(value)}`)
}

/** The start of a range within a text: absent is its beginning. */
export function startArgument(value: Value): number {
  return value === null ? 0 : indexArgument(value)
}

/** The end of a range within a text: absent is its end. */
export function stopArgument(value: Value): number {
  return value === null ? MAX : indexArgument(value)
}

function indexArgument(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'boolean') return intArgument(value)
  if (isUndefined(value)) throw undefinedError(value)
  throw new Raise('TypeError', 'slice indices must be integers or None or have an __index__ method')
}
