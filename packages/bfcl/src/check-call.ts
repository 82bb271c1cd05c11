import { isList, isLiteralDict, isLiteralList } from '@callspec/python'
import type { PyDict, PyList, PyLiteral } from '@callspec/python'
import { checkType } from './check-type.ts'
import { checkDict, checkDictList, checkList, checkText } from './check-value.ts'
import type { FunctionDoc } from './function-doc.ts'
import { JAVA_TYPES, javaValue } from './java-values.ts'
import { JAVASCRIPT_TYPES, javascriptValue } from './javascript-values.ts'
import { pyIn, sequenceOf } from './python-values.ts'
import type { PyType } from './python-values.ts'
import { VALID, wrong } from './verdict.ts'
import type { BfclLanguage, BfclVerdict, DecodedCall } from './verdict.ts'

/** A call that is expected, and how it is compared. */
export interface ExpectedBfclCall {
  readonly doc: FunctionDoc
  /** Possible values of each parameter; the empty text among them marks it as optional. */
  readonly possible: PyDict
  readonly language: BfclLanguage
  /** Whether the model was shown underscores for the dots of names, because its server forbids dots. */
  readonly dotsAsUnderscores: boolean
}

/** One call against the possible answers: name, required parameters, types, values. The first thing wrong is named. */
export function checkCall({ name, args }: DecodedCall, expected: ExpectedBfclCall): BfclVerdict {
  const { doc, possible, dotsAsUnderscores } = expected
  if (name !== (dotsAsUnderscores ? doc.name.replaceAll('.', '_') : doc.name))
    return wrong('simple_function_checker:wrong_func_name')
  // The reference looks for names inside of a list or a text too, and finds none; without required ones it ends in an exception.
  if (!isLiteralDict(args)) return wrong('simple_function_checker:missing_required')
  if (doc.required.some((parameter) => !args.has(parameter))) return wrong('simple_function_checker:missing_required')
  for (const [parameter, value] of args) {
    const documented = typeof parameter === 'string' ? doc.parameters.get(parameter) : undefined
    const answers = typeof parameter === 'string' ? possible.get(parameter) : undefined
    if (documented === undefined || answers === undefined) return wrong('simple_function_checker:unexpected_param')
    const verdict = checkArgument(value, { ...documented, answers: isList(answers) ? answers : [answers] }, expected)
    if (!verdict.valid) return verdict
  }
  const isMissing = [...possible].some(
    ([parameter, answers]) => !args.has(parameter) && !(isList(answers) && answers.includes('')),
  )
  return isMissing ? wrong('simple_function_checker:missing_optional') : VALID
}

interface Documented {
  readonly type: string
  readonly items: string | null
  readonly answers: PyList
}

function checkArgument(given: PyLiteral, documented: Documented, { language }: ExpectedBfclCall): BfclVerdict {
  const { type, items, answers } = documented
  const types = TYPES[language]
  const expected = types.get(type)
  // The reference has no verdict either: it ends with an exception.
  if (expected === undefined) return wrong('schema_error:unknown_type')
  if (language !== 'python' && typeof given !== 'string')
    return wrong(language === 'java' ? 'type_error:java' : 'type_error:js')
  const nested = LISTS.has(type) && items !== null ? (types.get(items) ?? null) : null
  const value = valueOf(given, documented, language)
  const found = checkType(value, answers, expected, nested)
  if (found === 'type_error:simple' || found === 'type_error:nested') return wrong(found)
  if (found === 'value') {
    if (isLiteralDict(value)) return checkDict(value, answers)
    if (isLiteralList(value)) return nested === 'dict' ? checkDictList(value, answers) : checkList(value, answers)
    if (typeof value === 'string') return checkText(value, answers)
  }
  return pyIn(value, answers) ? VALID : wrong('value_error:others')
}

/** The value that is compared: source text is read. */
function valueOf(given: PyLiteral, { type, items }: Documented, language: BfclLanguage): PyLiteral {
  const nested = LISTS.has(type) ? items : null
  if (language === 'python') return pythonValue(given, type)
  const source = typeof given === 'string' ? given : ''
  return language === 'java' ? javaValue(source, type, nested) : javascriptValue(source, type, nested)
}

/** An int counts as a float where one is wanted, a tuple as a list where a tuple is. Answers are JSON, which has no tuples. */
function pythonValue(given: PyLiteral, type: string): PyLiteral {
  if (type === 'float' && typeof given === 'bigint') return Number(given)
  return type === 'tuple' ? (sequenceOf(given)?.items ?? given) : given
}

const PYTHON_TYPES: ReadonlyMap<string, PyType> = new Map([
  ['string', 'str'],
  ['any', 'str'],
  ['integer', 'int'],
  ['float', 'float'],
  ['boolean', 'bool'],
  ['array', 'list'],
  ['tuple', 'list'],
  ['dict', 'dict'],
])

const TYPES: Readonly<Record<BfclLanguage, ReadonlyMap<string, PyType>>> = {
  python: PYTHON_TYPES,
  java: JAVA_TYPES,
  javascript: JAVASCRIPT_TYPES,
}

/** Whose elements are checked too. */
const LISTS: ReadonlySet<string> = new Set(['array', 'tuple', 'Array', 'ArrayList'])
