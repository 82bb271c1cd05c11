import { Raise, pyCompare } from '@callspec/python'
import { make, spend } from '../runtime/run.ts'
import { equal } from './equality.ts'
import { typeName } from './type-name.ts'
import { undefinedError } from './undefined.ts'
import type { List, Run, Value } from './value.ts'
import { isList, isTuple, isUndefined, stringValue } from './value.ts'

/** An operator of order. */
export type Order = '<' | '<=' | '>' | '>='

/** Python's comparison of two values. Raises TypeError for values without an order. */
export function compare(operator: Order, sides: { readonly left: Value; readonly right: Value }, run: Run): boolean {
  const { left, right } = sides
  if (isNumeric(left) && isNumeric(right)) return numbersHold(operator, left, right)
  const sign = ordered(left, right, { operator, run })
  return operator === '<' ? sign < 0 : operator === '<=' ? sign <= 0 : operator === '>' ? sign > 0 : sign >= 0
}

/** The items in the order of `sorted`, by their keys; equal ones keep their order, also when it is reversed. */
export function sorted<T>(items: readonly T[], how: { key: (item: T) => Value; reverse: boolean }, run: Run): T[] {
  const entries = items.map((item) => ({ item, key: how.key(item) }))
  spend(run, entries.length)
  const isLess = (left: Value, right: Value): boolean => {
    spend(run, 1)
    return compare('<', { left, right }, run)
  }
  const sign = how.reverse ? -1 : 1
  entries.sort((a, b) => (isLess(a.key, b.key) ? -sign : isLess(b.key, a.key) ? sign : 0))
  return entries.map(({ item }) => item)
}

function isNumeric(value: Value): value is boolean | bigint | number {
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean'
}

function numbersHold(operator: Order, left: boolean | bigint | number, right: boolean | bigint | number): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    default:
      return left >= right
  }
}

interface Ordering {
  readonly operator: Order
  readonly run: Run
}

/** Less than, equal to, or greater than 0. */
function ordered(left: Value, right: Value, question: Ordering): number {
  if (isUndefined(left)) throw undefinedError(left)
  if (isUndefined(right)) throw undefinedError(right)
  const first = stringValue(left)
  const second = stringValue(right)
  if (first !== null && second !== null) {
    make(question.run, Math.min(first.length, second.length))
    return pyCompare(first, second)
  }
  if (isList(left) && isList(right)) return compareLists(left, right, question)
  if (isTuple(left) && isTuple(right)) return compareLists(left.items, right.items, question)
  const types = `'${typeName(left)}' and '${typeName(right)}'`
  throw new Raise('TypeError', `'${question.operator}' not supported between instances of ${types}`)
}

/** The first pair that differs decides. */
function compareLists(left: List, right: List, { operator, run }: Ordering): number {
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const sides = { left: left[index] ?? null, right: right[index] ?? null }
    spend(run, 1)
    if (equal(sides.left, sides.right, run)) continue
    return compare(operator, sides, run) === (operator === '<' || operator === '<=') ? -1 : 1
  }
  return left.length - right.length
}
