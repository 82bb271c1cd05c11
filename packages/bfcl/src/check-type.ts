import { isList, isLiteralList } from '@callspec/python'
import type { PyList, PyLiteral } from '@callspec/python'
import { pyType } from './python-values.ts'
import type { PyType } from './python-values.ts'

/** How the type of an argument compares with the documented one. `variable`: it is the name of something, not a value. */
export type TypeVerdict = 'value' | 'variable' | 'type_error:simple'

/**
 * Compares the type of a value with the documented type, one level deep, and with the type of the first possible answer:
 * where that is another one, the parameter takes the name of a variable.
 *
 * as in the reference: elements of a wrong type in a list are `type_error:nested` only where the answer is a list too.
 */
export function checkType(
  value: PyLiteral,
  possible: PyList,
  expected: PyType,
  nested: PyType | null,
): TypeVerdict | 'type_error:nested' {
  const answerType = typeOfAnswers(possible)
  const isOfAnswers = answerType !== null && pyType(value) === answerType
  if (pyType(value) !== expected) return isOfAnswers ? 'variable' : 'type_error:simple'
  if (nested === null || elementsFit(value, possible, nested))
    return answerType !== null && answerType !== expected ? 'variable' : 'value'
  return isOfAnswers ? 'type_error:nested' : 'type_error:simple'
}

/** Whether some possible list has elements of the types of these. What is no list allows any elements. */
function elementsFit(value: PyLiteral, possible: PyList, nested: PyType): boolean {
  const items = isLiteralList(value) ? value : []
  return possible.some(
    (answer) => !isList(answer) || items.every((item) => checkType(item, answer, nested, null) !== 'type_error:simple'),
  )
}

/** The type of the first answer; the empty text only marks a parameter as optional. */
function typeOfAnswers(possible: PyList): PyType | null {
  const first = possible.find((answer) => answer !== '')
  return first === undefined ? null : pyType(first)
}
