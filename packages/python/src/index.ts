/*
 * Python's texts, numbers, JSON and literals, for whoever must write what Python writes. Functions that can raise throw a
 * `Raise`; `@callspec/python/outcome` gives them in a form that answers with an `Outcome`.
 */
export { baseName } from './base-name.ts'
export { extractCode } from './code.ts'
export { isTooDeepJson } from './depth.ts'
export { dumps, quoteAscii, quoteText } from './dumps.ts'
export type { DumpsOptions } from './dumps.ts'
export { fill } from './fill.ts'
export { InputError } from './input-error.ts'
export { loads } from './json-loads.ts'
export { isStandardJson, isWholeJson, jsonWatch, readJsonOn } from './json-watch.ts'
export type { JsonWatch } from './json-watch.ts'
export { loadsJson5 } from './json5-loads.ts'
export { hasChinese } from './language.ts'
export { loadsLenient } from './lenient-loads.ts'
export { className, isLiteralDict, isLiteralList, isTagged, textOfPieces } from './literal-value.ts'
export type {
  PyBytes,
  PyCodePoints,
  PyComplex,
  PyEllipsis,
  PyLiteral,
  PyLiteralDict,
  PySet,
  PyTagged,
  PyTuple,
} from './literal-value.ts'
export { readLiteral } from './literal.ts'
export type { CharacterNames, FindNames } from './literal-string.ts'
export { floatText, intText } from './number.ts'
export { isPrintable } from './printable.ts'
export { Raise, attempt, errorOf, serviceError } from './raise.ts'
export type { Outcome, ReferenceError } from './raise.ts'
export { repr, str } from './repr.ts'
export { respell, respellCall } from './respell.ts'
export { afterDigits, afterSpace, beforeSpace, isDigit, wholePairs } from './scan.ts'
export { isBlank, isSpace, lstrip, rstrip, strip } from './strip.ts'
export { pyCompare, pyFind, pyIndex, pyLength, pySlice } from './text.ts'
export { pythonTokens } from './tokens.ts'
export type { PyToken } from './tokens.ts'
export { unreachable } from './unreachable.ts'
export { fromPlain, isDict, isList, toPlain, truthy } from './value.ts'
export type { PlainValue, PyDict, PyList, PyValue } from './value.ts'
export { holdsNoValue, isJson, jsonKind } from './is-json.ts'
export { literalCalls } from './literal-calls.ts'
export type { CallLayout } from './literal-calls.ts'
