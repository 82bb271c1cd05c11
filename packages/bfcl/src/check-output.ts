import type { PyDict, PyList, PyLiteral, PyValue } from '@callspec/python'
import { isDict, isList, isLiteralDict, isLiteralList } from '@callspec/python'
import type { BfclLanguage, BfclVerdict, DecodedCall } from './check-value.ts'
import { VALID, wrongValue, checkType, checkDict, checkDictList, checkList, checkText } from './check-value.ts'
import { JAVA_TYPES, javaValue, JAVASCRIPT_TYPES, javascriptValue } from './source-values.ts'
import type { PyType } from './python-values.ts'
import { pyIn, sequenceOf } from './python-values.ts'

/** What an output is compared with. */
export interface BfclQuestion {
  /** BFCL's name of the category, such as `simple`, `parallel_multiple_function`, `live_irrelevance`. */
  readonly category: string
  readonly functions: readonly FunctionDoc[]
  /** Expected calls with their possible values, in order. A number (`f_1`) may distinguish equal names. */
  readonly answers: readonly BfclAnswer[]
  readonly dotsAsUnderscores: boolean
}

/** One expected call. */
export interface BfclAnswer {
  readonly name: string
  readonly possible: PyDict
}

export type DecodedOutput = { readonly kind: 'decoded'; readonly value: PyLiteral } | { readonly kind: 'failed' }

/** BFCL's verdict on a decoded output. Never throws. Work: calls times expected calls. */
export function checkOutput(output: DecodedOutput, question: BfclQuestion): BfclVerdict {
  const calls = output.kind === 'decoded' ? decodedCalls(output.value) : null
  // as in the reference: if the right answer is no call, an output that cannot be decoded is right.
  if (/irrelevance|^relevance$/.test(question.category) && !/live_relevance/.test(question.category))
    return (calls ?? []).length === 0 ? VALID : wrongValue('relevance_error:decoder_success')
  if (question.category.includes('relevance'))
    return (calls ?? []).length > 0 ? VALID : wrongValue('relevance_error:decoder_failed')
  if (output.kind === 'failed') return wrongValue('ast_decoder:decoder_failed')
  if (calls === null) return wrongValue('ast_decoder:decoder_wrong_output_format')
  return ANY_ORDER.test(question.category) ? checkAnyOrder(calls, question) : checkOne(calls, question)
}

/** Categories whose calls may come in any order. The first release, with names of its own, also compared one call of several functions so. */
const ANY_ORDER = /parallel|^multiple_function$/

/** The calls of a decoded value: a list of dicts, one name in each; null for anything else. */
export function decodedCalls(value: PyLiteral): readonly DecodedCall[] | null {
  if (!isLiteralList(value)) return null
  const calls = value.flatMap((item: PyLiteral): DecodedCall[] => {
    const [entry] = isLiteralDict(item) && item.size === 1 ? [...item] : []
    return entry === undefined ? [] : [{ name: entry[0], args: entry[1] }]
  })
  return calls.length === value.length ? calls : null
}

function checkOne(calls: readonly DecodedCall[], question: BfclQuestion): BfclVerdict {
  const [call] = calls
  const [answer] = question.answers
  const checker = question.category.includes('multiple') ? 'multiple' : 'simple'
  if (calls.length !== 1 || call === undefined) return wrongValue(`${checker}_function_checker:wrong_count`)
  return answer === undefined ? wrongValue('schema_error:no_answer') : against(call, answer, question)
}

/** as in the reference: each expected call takes the first remaining call that fits, even if a later one needs it. */
function checkAnyOrder(calls: readonly DecodedCall[], question: BfclQuestion): BfclVerdict {
  if (calls.length !== question.answers.length) return wrongValue('parallel_function_checker_no_order:wrong_count')
  const left = new Set(calls)
  for (const answer of question.answers) {
    const found = [...left].find((call) => against(call, answer, question).valid)
    if (found === undefined) return wrongValue('parallel_function_checker_no_order:cannot_find_match')
    left.delete(found)
  }
  return VALID
}

function against(call: DecodedCall, { name, possible }: BfclAnswer, question: BfclQuestion): BfclVerdict {
  // as in the reference: the first function whose name is a part of the expected one; the name of a single function is not compared.
  const [first] = question.functions
  const doc = isSimple(question.category) ? first : question.functions.find((each) => name.includes(each.name))
  if (doc === undefined) return wrongValue('schema_error:no_description')
  return checkCall(call, {
    doc,
    possible,
    language: categoryLanguage(question.category),
    dotsAsUnderscores: question.dotsAsUnderscores,
  })
}

function isSimple(category: string): boolean {
  return !/parallel|multiple/.test(category)
}

/** The language of the values in the calls of a category. */
export function categoryLanguage(category: string): BfclLanguage {
  if (category.includes('javascript')) return 'javascript'
  return category.includes('java') ? 'java' : 'python'
}

/** An expected call, and how it is compared. */
export interface ExpectedBfclCall {
  readonly doc: FunctionDoc
  /** The possible values of each parameter; an empty text among them marks it as optional. */
  readonly possible: PyDict
  readonly language: BfclLanguage
  /** Whether the model was shown underscores instead of dots in names, because its server forbids dots. */
  readonly dotsAsUnderscores: boolean
}

/** Compares one call with the possible answers: name, required parameters, types, values. Reports the first error. */
export function checkCall({ name, args }: DecodedCall, expected: ExpectedBfclCall): BfclVerdict {
  const { doc, possible, dotsAsUnderscores } = expected
  if (name !== (dotsAsUnderscores ? doc.name.replaceAll('.', '_') : doc.name))
    return wrongValue('simple_function_checker:wrong_func_name')
  // The reference also looks for names in a list or a text, and finds none; without required parameters it raises an exception.
  if (!isLiteralDict(args)) return wrongValue('simple_function_checker:missing_required')
  if (doc.required.some((parameter) => !args.has(parameter)))
    return wrongValue('simple_function_checker:missing_required')
  for (const [parameter, value] of args) {
    const documented = typeof parameter === 'string' ? doc.parameters.get(parameter) : undefined
    const answers = typeof parameter === 'string' ? possible.get(parameter) : undefined
    if (documented === undefined || answers === undefined) return wrongValue('simple_function_checker:unexpected_param')
    const verdict = checkArgument(value, { ...documented, answers: isList(answers) ? answers : [answers] }, expected)
    if (!verdict.valid) return verdict
  }
  const isMissing = [...possible].some(
    ([parameter, answers]) => !args.has(parameter) && !(isList(answers) && answers.includes('')),
  )
  return isMissing ? wrongValue('simple_function_checker:missing_optional') : VALID
}

interface Documented {
  readonly type: string
  readonly items: string | null
  readonly answers: PyList
}

function checkArgument(given: PyLiteral, documented: Documented, { language }: ExpectedBfclCall): BfclVerdict {
  const { type, items, answers } = documented
  const types = DECLARED_TYPES[language]
  const expected = types.get(type)
  // The reference has no verdict either: it raises an exception.
  if (expected === undefined) return wrongValue('schema_error:unknown_type')
  if (language !== 'python' && typeof given !== 'string')
    return wrongValue(language === 'java' ? 'type_error:java' : 'type_error:js')
  const nested = LISTS.has(type) && items !== null ? (types.get(items) ?? null) : null
  const value = documentedValue(given, documented, language)
  const found = checkType(value, answers, expected, nested)
  if (found === 'type_error:simple' || found === 'type_error:nested') return wrongValue(found)
  if (found === 'value') {
    if (isLiteralDict(value)) return checkDict(value, answers)
    if (isLiteralList(value)) return nested === 'dict' ? checkDictList(value, answers) : checkList(value, answers)
    if (typeof value === 'string') return checkText(value, answers)
  }
  return pyIn(value, answers) ? VALID : wrongValue('value_error:others')
}

/** The value that is compared: source text is converted. */
function documentedValue(given: PyLiteral, { type, items }: Documented, language: BfclLanguage): PyLiteral {
  const nested = LISTS.has(type) ? items : null
  if (language === 'python') return pythonValue(given, type)
  const source = typeof given === 'string' ? given : ''
  return language === 'java' ? javaValue(source, type, nested) : javascriptValue(source, type, nested)
}

/** An int counts as a float if a float is expected, a tuple as a list if a tuple is. Answers are JSON, which has no tuples. */
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

const DECLARED_TYPES: Readonly<Record<BfclLanguage, ReadonlyMap<string, PyType>>> = {
  python: PYTHON_TYPES,
  java: JAVA_TYPES,
  javascript: JAVASCRIPT_TYPES,
}

/** The types whose elements are checked too. */
const LISTS: ReadonlySet<string> = new Set(['array', 'tuple', 'Array', 'ArrayList'])

/** The documentation of a function, as BFCL's question files hold it. */
export interface FunctionDoc {
  readonly name: string
  readonly required: readonly string[]
  /** The documented type of each parameter, and that of its elements. */
  readonly parameters: ReadonlyMap<string, { readonly type: string; readonly items: string | null }>
}

/** Reads one documentation, or a list of them. Skips an entry without a name; never throws. */
export function readFunctionDocs(value: PyValue): readonly FunctionDoc[] {
  return (isList(value) ? value : [value]).flatMap((entry) => {
    const name = isDict(entry) ? entry.get('name') : undefined
    if (!isDict(entry) || typeof name !== 'string') return []
    const parameters = dictAt(entry, 'parameters')
    const required = parameters.get('required') ?? []
    return [
      {
        name,
        required: isList(required) ? required.filter((item) => typeof item === 'string') : [],
        parameters: new Map([...dictAt(parameters, 'properties')].map(([key, doc]) => [key, declaredType(doc)])),
      },
    ]
  })
}

function declaredType(doc: PyValue): { readonly type: string; readonly items: string | null } {
  if (!isDict(doc)) return { type: '', items: null }
  const type = doc.get('type')
  const items = dictAt(doc, 'items').get('type')
  return { type: typeof type === 'string' ? type : '', items: typeof items === 'string' ? items : null }
}

function dictAt(value: PyDict, key: string): PyDict {
  const member = value.get(key)
  return isDict(member) ? member : new Map<string, PyValue>()
}
