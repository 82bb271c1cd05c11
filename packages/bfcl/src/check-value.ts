import { isDict, isList, isLiteralDict } from '@callspec/python'
import type { PyDict, PyList, PyLiteral, PyLiteralDict } from '@callspec/python'
import { pyEquals, pyIn } from './python-values.ts'
import { VALID, wrong } from './verdict.ts'
import type { BfclVerdict } from './verdict.ts'

/**
 * A text as BFCL compares it: without blanks and `,./-_*^`, in lower case, single quotes as double ones. Dates and
 * addresses are spelled in many ways.
 */
export function standardized(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replace(/'/g, '"')
}

/** A text against the possible ones. */
export function checkText(value: string, possible: PyList): BfclVerdict {
  const wanted = standardized(value)
  const isKnown = possible.some((answer) => typeof answer === 'string' && standardized(answer) === wanted)
  return isKnown ? VALID : wrong('value_error:string')
}

/** A list against the possible ones: same elements in the same order. */
export function checkList(value: readonly PyLiteral[], possible: PyList): BfclVerdict {
  const wanted = value.map(comparable)
  // An optional parameter is marked by the empty text among the lists, which as a list of letters is empty.
  const isKnown = possible.some((answer) => pyEquals(wanted, isList(answer) ? answer.map(comparable) : []))
  return isKnown ? VALID : wrong('value_error:list/tuple')
}

/** A dict against the possible ones: the same keys, each value among those allowed for it. */
export function checkDict(value: PyLiteralDict, possible: PyList): BfclVerdict {
  let verdict: BfclVerdict = wrong('dict_checker:unclear')
  for (const answer of possible) {
    if (!isDict(answer)) continue
    verdict = checkMembers(value, answer)
    if (verdict.valid) return verdict
  }
  return verdict
}

function checkMembers(value: PyLiteralDict, answer: PyDict): BfclVerdict {
  if (value.size !== answer.size) return wrong('value_error:dict_items')
  for (const [key, member] of value) {
    const allowed = typeof key === 'string' ? answer.get(key) : undefined
    if (allowed === undefined) return wrong('value_error:dict_key')
    if (isDict(allowed)) {
      const verdict = isLiteralDict(member) ? checkDict(member, [allowed]) : wrong('value_error:dict_value')
      if (!verdict.valid) return verdict
    } else if (!pyIn(comparable(member), (isList(allowed) ? allowed : []).map(comparable)))
      return wrong('value_error:dict_value')
  }
  return VALID
}

/** A list of dicts against the possible ones: as many, in the same order. */
export function checkDictList(value: readonly PyLiteral[], possible: PyList): BfclVerdict {
  let verdict: BfclVerdict = wrong('list_dict_checker:unclear')
  for (const answer of possible) {
    const dicts = isList(answer) ? answer : []
    verdict = value.length === dicts.length ? checkEach(value, dicts) : wrong('value_error:list_dict_count')
    if (verdict.valid) return verdict
  }
  return verdict
}

function checkEach(value: readonly PyLiteral[], dicts: PyList): BfclVerdict {
  for (const [index, dict] of dicts.entries()) {
    const item = value[index] ?? null
    const verdict = isLiteralDict(item) ? checkDict(item, [dict]) : wrong('value_error:dict_value')
    if (!verdict.valid) return verdict
  }
  return VALID
}

function comparable(value: PyLiteral): PyLiteral {
  return typeof value === 'string' ? standardized(value) : value
}
