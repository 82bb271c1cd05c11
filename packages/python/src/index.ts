/*
 * Python's texts, numbers, JSON and literals, for code that must write what Python writes. Functions that can raise throw a
 * `Raise`; `@callspec/python/outcome` gives them in a form that answers with an `Outcome`.
 */
export { baseName } from './base-name.ts'
export { extractCode } from './json5.ts'
export { dumps, quoteAscii, quoteText } from './dumps.ts'
export type { DumpsOptions } from './dumps.ts'
export { fill } from './text.ts'
export { InputError } from './errors.ts'
export { loads } from './json-loads.ts'
export {
  balancedEnd,
  holdsNoValue,
  isJson,
  isStandardJson,
  isTooDeepJson,
  jsonKind,
  passJson,
  passJsonString,
  passJsonUnit,
  standardKind,
} from './json-scan.ts'
export type { JsonKind, JsonScan } from './json-scan.ts'
export { loadsJson5 } from './json5.ts'
export { hasChinese } from './text.ts'
export { loadsLenient } from './json5.ts'
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
export type { CharacterNames, FindNames } from './literal-tokens.ts'
export { floatText, intText } from './value.ts'
export { isPrintable } from './repr.ts'
export { Raise, attempt, errorOf, serviceError } from './errors.ts'
export type { Outcome, ReferenceError } from './errors.ts'
export { repr, str } from './repr.ts'
export { respell, respellCall } from './respell.ts'
export { afterDigits, afterSpace, beforeSpace, isDigit, wholePairs } from './scan.ts'
export { isBlank, isSpace, lstrip, rstrip, strip } from './text.ts'
export { pyCompare, pyFind, pyIndex, pyLength, pySlice } from './text.ts'
export { pythonTokens } from './tokens.ts'
export type { PyToken } from './tokens.ts'
export { unreachable } from './errors.ts'
export { fromPlain, isDict, isList, toPlain, truthy } from './value.ts'
export type { PlainValue, PyDict, PyList, PyValue } from './value.ts'
export { literalCalls } from './literal.ts'
export type { CallLayout } from './literal.ts'
