import type { PyValue } from './value.ts'

/**
 * A value that a Python literal can spell (`ast.literal_eval`, MetaGPT spec §7): what JSON has, and
 *
 * | Python | here |
 * |---|---|
 * | `dict` with any keys | `Map`; two equal keys (`1`, `1.0`, `True`) are one |
 * | `tuple`, `set`, `complex`, `bytes`, `...` | an object with that `kind` |
 * | `str` with a high surrogate before a low one | `{ kind: 'code-points' }`: a JavaScript string would read them as one character |
 *
 * Every `PyValue` is one. A set keeps the order in which its items were written.
 */
export type PyLiteral =
  PyValue | readonly PyLiteral[] | PyLiteralDict | PyTuple | PySet | PyComplex | PyBytes | PyEllipsis | PyCodePoints

/** A dict with keys of any kind, in insertion order. The reader puts no two equal keys into one. */
export type PyLiteralDict = ReadonlyMap<PyLiteral, PyLiteral>

/** A tuple. */
export interface PyTuple {
  readonly kind: 'tuple'
  readonly items: readonly PyLiteral[]
}

/** A set, in the order in which it was written. */
export interface PySet {
  readonly kind: 'set'
  readonly items: readonly PyLiteral[]
}

/** A complex number. */
export interface PyComplex {
  readonly kind: 'complex'
  readonly real: number
  readonly imaginary: number
}

/** A bytes literal. */
export interface PyBytes {
  readonly kind: 'bytes'
  readonly bytes: readonly number[]
}

/** The `...` of Python. */
export interface PyEllipsis {
  readonly kind: 'ellipsis'
}

/** A text that no JavaScript string can hold without joining two surrogates to one character. */
export interface PyCodePoints {
  readonly kind: 'code-points'
  readonly codePoints: readonly number[]
}

/** The kinds that JSON has not. */
export type PyTagged = PyTuple | PySet | PyComplex | PyBytes | PyEllipsis | PyCodePoints

/** Whether a value is a list. */
export function isLiteralList(value: PyLiteral): value is readonly PyLiteral[] {
  return Array.isArray(value)
}

/** Whether a value is a dict. */
export function isLiteralDict(value: PyLiteral): value is PyLiteralDict {
  return value instanceof Map
}

/** Whether a value is one of the kinds that JSON has not. */
export function isTagged(value: PyLiteral): value is PyTagged {
  return typeof value === 'object' && value !== null && !isLiteralList(value) && !isLiteralDict(value)
}

/** The name of a value's Python class, as error texts have it: `NoneType`, `int`, `dict`. */
export function className(value: PyLiteral): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'float'
  if (isLiteralList(value)) return 'list'
  if (isLiteralDict(value)) return 'dict'
  return value.kind === 'code-points' ? 'str' : value.kind
}

/** A text, kept as a JavaScript string whenever that says the same. */
export function textOfPieces(pieces: readonly string[]): string | PyCodePoints {
  const joined = pieces.join('')
  for (const [at, piece] of pieces.entries()) {
    if (at > 0 && endsInHigh(pieces[at - 1] ?? '') && startsWithLow(piece)) {
      return { kind: 'code-points', codePoints: pieces.flatMap(codePointsOf) }
    }
  }
  return joined
}

function endsInHigh(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
}

function startsWithLow(text: string): boolean {
  return (text.charCodeAt(0) & 0xfc00) === 0xdc00
}

function codePointsOf(text: string): readonly number[] {
  return Array.from(text, (char) => char.codePointAt(0) ?? 0)
}
