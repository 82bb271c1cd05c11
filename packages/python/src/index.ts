/*
 * Python's texts, numbers, JSON and literals, for code that must write what Python writes. Functions that can raise throw a
 * `Raise`; `@callspec/python/outcome` gives them in a form that answers with an `Outcome`.
 */
export { baseName } from './base-name.ts'
export { dumps, quoteAscii, quoteText } from './dumps.ts'
export { InputError, Raise, attempt, errorOf, serviceError, unreachable } from './errors.ts'
export type { Outcome, ReferenceError } from './errors.ts'
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
export { extractCode, loadsJson5, loadsLenient } from './json5.ts'
export { BINARY_LEVELS } from './expression-nodes.ts'
export type { BinaryOperator, PyCallNode, PyMember, PyNode } from './expression-nodes.ts'
export { readExpression } from './expression.ts'
export { literalCalls } from './literal-calls.ts'
export type { CallLayout } from './literal-calls.ts'
export { dictKey, literalDict, readLiteral } from './literal.ts'
export { fill, isPrintable, repr, str } from './repr.ts'
export { respell, respellCall } from './respell.ts'
export {
  afterSpace,
  beforeSpace,
  wholePairs,
  hasChinese,
  isBlank,
  isSpace,
  lstrip,
  pyCompare,
  pyFind,
  pyIndex,
  pyLength,
  pySlice,
  rstrip,
  strip,
} from './text.ts'
export {
  className,
  floatText,
  fromPlain,
  intText,
  isDict,
  isList,
  isLiteralDict,
  isLiteralList,
  isTagged,
  textOfPieces,
  toPlain,
  truthy,
} from './value.ts'
export type { PlainValue, PyCodePoints, PyDict, PyList, PyLiteral, PyLiteralDict, PyValue } from './value.ts'
