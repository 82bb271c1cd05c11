import { isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'
import type { ActualAnswer, ExpectedAnswer } from './answer.ts'

import { firstDifference, shown } from './difference.ts'
import type { Difference } from './difference.ts'
import { visible } from './visible.ts'

/**
 * The first difference between what the reference and what an implementation answered, or null when they agree.
 *
 * Everything counts except texts that depend on the reference's libraries rather than on the reference: the list of a
 * model validation (`errors`), and the messages that `normativePart` leaves out. An `error` beside other results (the
 * error that ended a run) is compared by the same rules.
 */
export function compareAnswers(expected: ExpectedAnswer, actual: ActualAnswer): Difference | null {
  if (expected.kind === 'returned' && actual.kind === 'returned') return compareResults(expected.value, actual.value)
  if (expected.kind === 'raised' && actual.kind === 'raised') {
    const [left, right] = comparableErrors(expected.error, errorMap(actual.error), 'outer')
    return firstDifference(left, right, 'error')
  }
  const [wanted, got] = [showAnswer(expected), showAnswer(actual)]
  return { path: '', what: 'other outcome', expected: wanted, actual: got, caret: null }
}

function compareResults(expected: PyValue, actual: PyValue): Difference | null {
  if (!isDict(expected) || !isDict(actual)) return firstDifference(expected, actual)
  const [left, right] = [expected.get('error'), actual.get('error')]
  if (!isDict(left) || !isDict(right)) return firstDifference(expected, actual)
  const [leftError, rightError] = comparableErrors(left, right, 'inner')
  return firstDifference(new Map(expected).set('error', leftError), new Map(actual).set('error', rightError))
}

/** Both errors, reduced to what counts. `expected` decides, because it says what the reference raised. */
function comparableErrors(expected: PyDict, actual: PyDict, place: 'outer' | 'inner'): readonly [PyDict, PyDict] {
  const type = expected.get('type')
  const message = expected.get('message')
  const rule = typeof type === 'string' && typeof message === 'string' ? normativePart(type, message, place) : 'all'
  return [reduced(expected, rule), reduced(actual, rule)]
}

function reduced(error: PyDict, rule: 'all' | 'first-line' | 'none'): PyDict {
  const copy = new Map(error)
  copy.delete('errors')
  const message = copy.get('message')
  if (typeof message !== 'string' || rule === 'all') return copy
  return copy.set('message', rule === 'none' ? '' : message.slice(0, (message + '\n').indexOf('\n')))
}

/**
 * How much of an error's text is the reference's own. Texts that Python (`int()`, `KeyError`, …) or its libraries wrote
 * change with their versions and are left out.
 */
function normativePart(type: string, message: string, place: 'outer' | 'inner'): 'all' | 'first-line' | 'none' {
  switch (type) {
    case 'ModelServiceError':
    case 'NotImplementedError':
      return 'all'
    case 'AssertionError':
      return message === '' ? 'none' : 'all'
    case 'ValueError':
      return PYTHON_NUMBER_ERROR.test(message) ? 'none' : 'all'
    case 'ValidationError':
      if (place === 'inner') return 'none'
      return message.includes(JSON_SCHEMA_DETAILS) ? 'first-line' : 'all'
    default:
      return 'none'
  }
}

/** Texts that `int()` and `float()` write. */
const PYTHON_NUMBER_ERROR = /^(could not convert|invalid literal)/

/** What the jsonschema library puts after the first line of its ValidationError. */
const JSON_SCHEMA_DETAILS = '\n\nFailed validating '

function errorMap(error: ReferenceError): PyDict {
  return new Map([
    ['type', error.type],
    ['message', error.message],
  ])
}

function showAnswer(answer: ExpectedAnswer | ActualAnswer): string {
  if (answer.kind === 'returned') return shown(answer.value)
  const { error } = answer
  const map = isDict(error) ? error : errorMap(error)
  const type = map.get('type')
  return `${typeof type === 'string' ? visible(type) : 'an error'}: ${shown(map.get('message') ?? null)}`
}
