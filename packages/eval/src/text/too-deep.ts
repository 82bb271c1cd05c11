import { isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** Values nested deeper than this count as unreadable: validators and printers of other people recurse. */
export const MAX_DEPTH = 100

/** Whether a value nests deeper than `MAX_DEPTH`. Level by level, so that no depth is too much for this one. */
export function isTooDeep(value: PyValue): boolean {
  let level: readonly PyValue[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    level = below(level)
  }
  return false
}

function below(level: readonly PyValue[]): readonly PyValue[] {
  const values: PyValue[] = []
  for (const item of level) {
    if (isDict(item)) for (const value of item.values()) values.push(value)
    else if (isList(item)) for (const value of item) values.push(value)
  }
  return values
}
