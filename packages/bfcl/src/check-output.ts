import { isLiteralDict, isLiteralList } from '@callspec/python'
import type { PyDict, PyLiteral } from '@callspec/python'
import { checkCall } from './check-call.ts'
import type { FunctionDoc } from './function-doc.ts'
import { VALID, wrong } from './verdict.ts'
import type { BfclLanguage, BfclVerdict, DecodedCall } from './verdict.ts'

/** What an output is held against. */
export interface BfclQuestion {
  /** BFCL's name of the category, such as `simple`, `parallel_multiple_function`, `live_irrelevance`. */
  readonly category: string
  readonly functions: readonly FunctionDoc[]
  /** Expected calls with their possible values, in order. Names may carry a number (`f_1`) that tells equal ones apart. */
  readonly answers: readonly ExpectedAnswer[]
  readonly dotsAsUnderscores: boolean
}

/** One expected call. */
export interface ExpectedAnswer {
  readonly name: string
  readonly possible: PyDict
}

/** What a decoder made of an output. */
export type DecodedOutput = { readonly kind: 'decoded'; readonly value: PyLiteral } | { readonly kind: 'failed' }

/** BFCL's verdict on a decoded output. Never throws. Work: calls times expected calls. */
export function checkOutput(output: DecodedOutput, question: BfclQuestion): BfclVerdict {
  const calls = output.kind === 'decoded' ? callsOf(output.value) : null
  // as in the reference: where a call is wrong, one that cannot be decoded counts as none.
  if (/irrelevance|^relevance$/.test(question.category) && !/live_relevance/.test(question.category))
    return (calls ?? []).length === 0 ? VALID : wrong('relevance_error:decoder_success')
  if (question.category.includes('relevance'))
    return (calls ?? []).length > 0 ? VALID : wrong('relevance_error:decoder_failed')
  if (output.kind === 'failed') return wrong('ast_decoder:decoder_failed')
  if (calls === null) return wrong('ast_decoder:decoder_wrong_output_format')
  return ANY_ORDER.test(question.category) ? checkAnyOrder(calls, question) : checkOne(calls, question)
}

/** Where calls may come in any order. The first release, which is told by its names, treated one call of several functions so too. */
const ANY_ORDER = /parallel|^multiple_function$/

/** The calls of a decoded value: a list of dicts, one name in each; null for anything else. */
export function callsOf(value: PyLiteral): readonly DecodedCall[] | null {
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
  if (calls.length !== 1 || call === undefined) return wrong(`${checker}_function_checker:wrong_count`)
  return answer === undefined ? wrong('schema_error:no_answer') : against(call, answer, question)
}

/** as in the reference: each expected call takes the first one left that fits, which may be one that another needs. */
function checkAnyOrder(calls: readonly DecodedCall[], question: BfclQuestion): BfclVerdict {
  if (calls.length !== question.answers.length) return wrong('parallel_function_checker_no_order:wrong_count')
  const left = new Set(calls)
  for (const answer of question.answers) {
    const found = [...left].find((call) => against(call, answer, question).valid)
    if (found === undefined) return wrong('parallel_function_checker_no_order:cannot_find_match')
    left.delete(found)
  }
  return VALID
}

function against(call: DecodedCall, { name, possible }: ExpectedAnswer, question: BfclQuestion): BfclVerdict {
  // as in the reference: the first function whose name is a part of the expected one; one alone is never asked its name.
  const [first] = question.functions
  const doc = isSimple(question.category) ? first : question.functions.find((each) => name.includes(each.name))
  if (doc === undefined) return wrong('schema_error:no_description')
  return checkCall(call, {
    doc,
    possible,
    language: languageOf(question.category),
    dotsAsUnderscores: question.dotsAsUnderscores,
  })
}

function isSimple(category: string): boolean {
  return !/parallel|multiple/.test(category)
}

/** The language whose values the calls of a category hold. */
export function languageOf(category: string): BfclLanguage {
  if (category.includes('javascript')) return 'javascript'
  return category.includes('java') ? 'java' : 'python'
}
