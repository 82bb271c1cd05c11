import { listOf, objectOf } from './record.ts'
import type { Json } from './record.ts'

/**
 * The member of a row that a path names: `resps.0.0` is the first of the first of `resps`. A member whose name holds the
 * dots comes first. Undefined where there is none.
 */
export function memberAt(row: Json, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path]
  let value: unknown = row
  for (const step of path.split('.')) value = stepInto(value, step)
  return value
}

function stepInto(value: unknown, step: string): unknown {
  const list = listOf(value)
  if (list !== null) return /^\d{1,9}$/.test(step) ? list[Number(step)] : undefined
  const object = objectOf(value)
  return object !== null && Object.hasOwn(object, step) ? object[step] : undefined
}
