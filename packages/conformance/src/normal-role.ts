import { isDict, isList, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { ActualAnswer, ExpectedAnswer, Pair } from './answer.ts'

import { firstDifference } from './difference.ts'

/**
 * Reduces two answers to an operation of MetaGPT to what is compared (MetaGPT spec §9).
 *
 * - An error has a form of its own, with the runs before it under `partial`, and is an answer like any other: `error`
 *   beside `expected` and an answer that holds `error` are the same.
 * - Of an error its type counts (`cause_type` where there is one), `partial`, `wrapped` and `prefix`; its text only where
 *   it is MetaGPT's own. How the reference wraps it (`raised_type`) does not count.
 * - Where several answers are right (`nondeterministic`, `any_of`), one of them is enough.
 * - The order in a `$set` does not count, nor the `python_repr` of a value that holds one.
 */
export function comparableRole([expected, actual]: Pair): Pair {
  const [left, right] = [asResult(expected), asResult(actual)]
  const wanted = alternatives(left).map((each) => reduced(each, [left, right]))
  const got = reduced(right, [left, right])
  const chosen = wanted.find((each) => firstDifference(each, got) === null) ?? wanted[0] ?? null
  return [
    { kind: 'returned', value: chosen },
    { kind: 'returned', value: got },
  ]
}

function asResult(answer: ExpectedAnswer | ActualAnswer): PyValue {
  if (answer.kind === 'returned') return answer.value
  const { error } = answer
  const map: PyDict = isDict(error) ? error : new Map(Object.entries({ type: error.type, message: error.message }))
  return new Map([['error', map]])
}

function alternatives(value: PyValue): readonly PyValue[] {
  const listed = isDict(value) && value.get('nondeterministic') === true ? value.get('any_of') : undefined
  return isList(listed) && listed.length > 0 ? listed : [value]
}

function reduced(value: PyValue, both: readonly [PyValue, PyValue]): PyValue {
  if (!isDict(value)) return value
  const [expected] = both
  const copy = new Map(value)
  const error = copy.get('error')
  if (isDict(error)) copy.set('error', reducedError(error, both.some(hasOwnText)))
  // What was expected decides: it says what the reference could tell.
  if (isDict(expected) && holdsSet(expected.get('value') ?? null)) {
    copy.delete('python_repr')
    copy.set('value', sortedSets(copy.get('value') ?? null))
  }
  return copy
}

function reducedError(error: PyDict, textCounts: boolean): PyDict {
  const copy = new Map<string, PyValue>(error)
  for (const key of ['raised_type', 'cause_type', 'cause_message', 'detail', 'message']) copy.delete(key)
  const type = error.get('cause_type') ?? error.get('type')
  if (type !== undefined) copy.set('type', type)
  return textCounts ? copy.set('text', textOf(error)) : copy
}

function hasOwnText(value: PyValue): boolean {
  const error = isDict(value) ? value.get('error') : undefined
  return isDict(error) && OWN_TEXTS.test(textOf(error) ?? '')
}

function textOf(error: PyDict): string | null {
  const text = error.get('cause_message') ?? error.get('detail') ?? error.get('message')
  return typeof text === 'string' ? text : null
}

/** Texts of errors that the specification quotes; everything else is what a version of Python or pydantic says. */
const OWN_TEXTS =
  /^(?:'NoneType' object has no attribute 'name'|list index out of range|New task has unknown dependencies|'NoneType' object is not iterable|unhashable type: '\w+'|The extracted structure is not a .*)$/s

function holdsSet(value: PyValue): boolean {
  if (isList(value)) return value.some(holdsSet)
  return isDict(value) && (value.has('$set') || [...value.values()].some(holdsSet))
}

function sortedSets(value: PyValue): PyValue {
  if (isList(value)) return value.map(sortedSets)
  if (!isDict(value)) return value
  return new Map(
    Array.from(value, ([key, item]) => {
      const inner = sortedSets(item)
      const isSet = key === '$set' && isList(inner)
      return [key, isSet ? inner.toSorted((left, right) => (dumps(left) < dumps(right) ? -1 : 1)) : inner]
    }),
  )
}
