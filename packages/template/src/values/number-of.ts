import { Raise } from '@callspec/python'
import type { Value } from './value.ts'

/** A value as a number of its kind: a boolean is an int. Null for what is none. */
export function numberOf(value: Value): bigint | number | null {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return typeof value === 'boolean' ? BigInt(value) : null
}

/** A number as a float. Raises OverflowError for an int that no float is near to. */
export function asFloat(value: bigint | number): number {
  const float = Number(value)
  if (typeof value === 'bigint' && !Number.isFinite(float)) {
    throw new Raise('OverflowError', 'int too large to convert to float')
  }
  return float
}
