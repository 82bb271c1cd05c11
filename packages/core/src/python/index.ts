/*
 * Python's texts, numbers and JSON, for packages that must write what Python writes. Functions that can raise throw a
 * `Raise`, as those of `@callspec/core/reference` do.
 */
export { attempt, errorOf, Raise } from '../raise.ts'
export { quoteAscii, quoteText } from './dumps.ts'
export { fill } from './fill.ts'
export { loads } from './json-loads.ts'
export { floatText, intText } from './number.ts'
export { isPrintable } from './printable.ts'
export { repr } from './repr.ts'
export { isBlank, isSpace, lstrip, rstrip, strip } from './strip.ts'
export { pyFind, pyIndex, pyLength, pySlice } from './text.ts'
export { fromPlain, isDict, isList } from './value.ts'
export type { PlainValue, PyDict, PyList, PyValue } from './value.ts'
