import { pyFind, Raise } from '@callspec/python'
import { make } from '../runtime/run.ts'
import { equal, findKey } from './equality.ts'
import { isIterable, iterate } from './iterate.ts'
import { typeName } from './type-name.ts'
import type { Run, Value } from './value.ts'
import { isDict, isThing, textOf } from './value.ts'

/** Python's `item in container`. Raises TypeError for what contains nothing. */
export function contains(container: Value, item: Value, run: Run): boolean {
  const text = textOf(container)
  if (text !== null) return containsText(text, item, run)
  if (isDict(container)) return findKey(container, item, run) !== undefined
  if (isThing(container) && container.kind === 'view' && container.part === 'keys') {
    return findKey(container.dict, item, run) !== undefined
  }
  if (!isIterable(container)) throw new Raise('TypeError', `argument of type '${typeName(container)}' is not iterable`)
  const next = iterate(container, run)
  for (let other = next(); other !== undefined; other = next()) if (equal(other, item, run)) return true
  return false
}

function containsText(text: string, item: Value, run: Run): boolean {
  const part = textOf(item)
  if (part === null) {
    throw new Raise('TypeError', `'in <string>' requires string as left operand, not ${typeName(item)}`)
  }
  make(run, text.length)
  return pyFind(text, part) >= 0
}
