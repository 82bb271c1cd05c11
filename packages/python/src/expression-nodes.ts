import type { Raise } from './errors.ts'
import { invalidSyntax, pythonTokens } from './tokens.ts'
import type { FindNames, PyToken } from './tokens.ts'
import type { PyLiteral } from './value.ts'

/**
 * A Python expression. Those that neither `ast.literal_eval` nor BFCL take as values (comparisons, `and`, `if`, lambdas,
 * comprehensions, f-strings, `await`) are `other`, which keeps their source.
 */
export type PyNode =
  /** `isUnicode`: written `u"…"`, which Python writes back so. */
  | { readonly kind: 'constant'; readonly value: PyLiteral; readonly isUnicode?: boolean }
  | { readonly kind: 'name'; readonly id: string }
  | { readonly kind: 'attribute'; readonly value: PyNode; readonly name: string }
  | PyCallNode
  | { readonly kind: 'subscript'; readonly value: PyNode; readonly slice: PyNode }
  | { readonly kind: 'slice'; readonly parts: readonly (PyNode | null)[] }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: PyNode }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: PyNode; readonly right: PyNode }
  | { readonly kind: 'sequence'; readonly type: 'list' | 'tuple' | 'set'; readonly items: readonly PyNode[] }
  | { readonly kind: 'dict'; readonly members: readonly PyMember[] }
  | { readonly kind: 'starred'; readonly value: PyNode }
  /** `isClosed`: it has its own brackets or quotes, and never needs others. */
  | { readonly kind: 'other'; readonly source: string; readonly isClosed: boolean }

/** A call. A keyword without a name is `**`. */
export interface PyCallNode {
  readonly kind: 'call'
  readonly target: PyNode
  readonly positional: readonly PyNode[]
  readonly keywords: readonly (readonly [string | null, PyNode])[]
}

/** A member of a dict; a `null` key is `**`. */
export type PyMember = readonly [key: PyNode | null, value: PyNode]

/** Operators with one operand. */
export type UnaryOperator = 'not' | '+' | '-' | '~'

/** Arithmetic operators with two operands. */
export type BinaryOperator = '|' | '^' | '&' | '<<' | '>>' | '+' | '-' | '*' | '/' | '//' | '%' | '@' | '**'

/** The precedence of an operator other than `**`, which binds closest: 0 for the one that binds least. */
export const BINARY_LEVELS: ReadonlyMap<string, number> = new Map<BinaryOperator, number>([
  ['|', 0],
  ['^', 1],
  ['&', 2],
  ['<<', 3],
  ['>>', 3],
  ['+', 4],
  ['-', 4],
  ['*', 5],
  ['/', 5],
  ['//', 5],
  ['%', 5],
  ['@', 5],
])

/** A position in the tokens of a Python text. */
export interface Cursor {
  readonly source: string
  readonly tokens: readonly PyToken[]
  /** Called at the first `\N{…}`. */
  readonly names: FindNames | undefined
  next: number
  /** The number of nested expressions at this position. */
  depth: number
}

/** A cursor at the first token. Raises SyntaxError for characters that no token has, and brackets that do not pair. */
export function cursorOf(source: string, names?: FindNames): Cursor {
  return { source, tokens: pythonTokens(source), names, next: 0, depth: 0 }
}

/** The next token; the last one is `end`. */
export function peek(cursor: Cursor, ahead = 0): PyToken {
  const { length } = cursor.source
  return cursor.tokens[cursor.next + ahead] ?? { type: 'end', at: length, end: length, text: '' }
}

/** Whether this mark or word is next. as in the reference: a name that becomes a keyword by normalization stays a name. */
export function isNext(cursor: Cursor, text: string): boolean {
  const token = peek(cursor)
  return token.text === text && (token.type === 'mark' || (token.type === 'name' && isSpelled(cursor, token)))
}

/** Takes the mark or word if it is next. */
export function take(cursor: Cursor, text: string): boolean {
  if (!isNext(cursor, text)) return false
  cursor.next += 1
  return true
}

/** Takes the mark or word, which must be next. */
export function expect(cursor: Cursor, text: string): void {
  if (!take(cursor, text)) throw unexpected(cursor)
}

/** Takes a name, which must not be a keyword. */
export function takeName(cursor: Cursor): string {
  const token = peek(cursor)
  if (token.type !== 'name' || isKeyword(cursor, token)) throw unexpected(cursor)
  cursor.next += 1
  return token.text
}

export function isKeyword(cursor: Pick<Cursor, 'source'>, token: PyToken): boolean {
  return KEYWORDS.has(token.text) && isSpelled(cursor, token)
}

/** Whether a name is written as it is compared, without normalization. */
export function isSpelled({ source }: Pick<Cursor, 'source'>, { text, at }: PyToken): boolean {
  return source.startsWith(text, at)
}

/** The SyntaxError of the next token. */
export function unexpected(cursor: Cursor): Raise {
  return invalidSyntax(cursor.source, peek(cursor).at)
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** The constants that look like names. */
export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['None', null],
  ['True', true],
  ['False', false],
])
