import { InputError, MAX_DEPTH, Raise } from './errors.ts'

/**
 * A Python value as `json.loads` makes it, without loss:
 *
 * | Python | here |
 * |---|---|
 * | `None`, `True`, `str` | `null`, `boolean`, `string` (lone surrogates kept) |
 * | `int`, any size | `bigint` |
 * | `float` | `number` (also NaN, ±Infinity, -0) |
 * | `list` | array |
 * | `dict` | `Map`, in insertion order, also for keys that look like integers |
 *
 * A JavaScript number is therefore always a float: `1` is `1n` here, `1.0` is `1`.
 */
export type PyValue = null | boolean | bigint | number | string | PyList | PyDict
/** A Python list. */
export type PyList = readonly PyValue[]
/** A Python dict with text keys, in insertion order. */
export type PyDict = ReadonlyMap<string, PyValue>

/** What a caller may hand in: a `PyValue`, or plain JavaScript data as `JSON.parse` makes it. */
export type PlainValue = PyValue | undefined | readonly PlainValue[] | { readonly [key: string]: PlainValue }

/** Whether a value is a dict: a `Map`, never a plain object. */
export function isDict(value: unknown): value is PyDict {
  return value instanceof Map
}

/** Whether a value is a list. */
export function isList(value: unknown): value is PyList {
  return Array.isArray(value)
}

/**
 * Turns plain JavaScript data into a `PyValue`.
 *
 * What `JSON.parse` has lost stays lost: a whole number becomes an int (also one that was written `1.0`),
 * integers beyond 2^53 have been rounded, and integer-like keys have been moved to the front. Text that
 * must survive unchanged is read with `loads` instead. Members that are `undefined` are left out. A `Map` has been read
 * without loss already and is kept as it is: its numbers are floats.
 *
 * @throws InputError naming `where` for data nested deeper than Python reads or writes it, and the place below it of a
 *   function or a symbol
 */
export function fromPlain(value: PlainValue, where = 'value'): PyValue {
  return plainToPython(value, { where, depth: 0, name: () => where })
}

/** Where a value is. Its name is only made if something is wrong there. */
interface PlainPlace {
  readonly where: string
  readonly depth: number
  name(): string
}

function plainToPython(value: PlainValue, place: PlainPlace): PyValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return Number.isInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new InputError(place.name(), `A ${typeof value} is no data. Give what JSON can hold.`)
  }
  if (typeof value !== 'object') return value
  if (isDict(value)) return value
  if (place.depth >= MAX_DEPTH) throw new InputError(place.where, `This is nested deeper than ${MAX_DEPTH} levels.`)
  if (Array.isArray(value)) {
    return value.map((item: PlainValue, index) =>
      plainToPython(
        item,
        placeBelow(place, () => `[${index}]`),
      ),
    )
  }
  const dict = new Map<string, PyValue>()
  for (const [key, item] of Object.entries(value as { readonly [key: string]: PlainValue })) {
    if (item === undefined) continue
    const inside = placeBelow(place, () => `.${key}`)
    dict.set(key, plainToPython(item, inside))
  }
  return dict
}

function placeBelow(place: PlainPlace, step: () => string): PlainPlace {
  return { where: place.where, depth: place.depth + 1, name: () => place.name() + step() }
}

/** Turns a `PyValue` into plain JavaScript data; ints beyond 2^53 are rounded, int and float become one type. */
export function toPlain(value: PyValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (isList(value)) return value.map(toPlain)
  if (!isDict(value)) return value
  // `__proto__` must become a member, not a prototype.
  return Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]))
}

/** Python's truth: `None`, `False`, zero, and everything empty are false. */
export function truthy(value: PyValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'bigint') return value !== 0n
  if (typeof value === 'number') return value !== 0
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value !== ''
  return isList(value) ? value.length > 0 : value.size > 0
}

/** CPython converts no longer decimal text to an int or back (`sys.get_int_max_str_digits()`). */
export const MAX_INT_DIGITS = 4300

/** The int that `digits` (decimal, with or without a sign) spells. More than 4 300 digits raise a ValueError. */
export function intOf(digits: string): bigint {
  const count = digits.startsWith('-') ? digits.length - 1 : digits.length
  if (count <= MAX_INT_DIGITS) return BigInt(digits)
  throw tooManyDigits(`: value has ${count} digits`)
}

/** An int as decimal text. An int of more than 4 300 digits (from hexadecimal text) raises a ValueError. */
export function intText(value: bigint): string {
  if (value < FIRST_TOO_LONG && value > NEGATIVE_TOO_LONG) return value.toString()
  throw tooManyDigits('')
}

/**
 * A float as Python's `repr` writes a finite one: the shortest digits that read back as the same float, positional for
 * 1e-4 <= |x| < 1e16 and always with a decimal point, otherwise `1e+16`, `1.5e-07` (spec §2.2).
 */
export function floatText(value: number): string {
  const size = Math.abs(value)
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
}

const FIRST_TOO_LONG = 10n ** BigInt(MAX_INT_DIGITS)
// Made once: each negation allocates 1 800 bytes, more than the rest of writing a short int.
const NEGATIVE_TOO_LONG = -FIRST_TOO_LONG

function tooManyDigits(detail: string): Raise {
  return new Raise(
    'ValueError',
    `Exceeds the limit (${MAX_INT_DIGITS} digits) for integer string conversion${detail}; ` +
      'use sys.set_int_max_str_digits() to increase the limit',
  )
}

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
