import type { PyLiteral, PyToken } from '@callspec/python'
import { Raise } from '@callspec/python'

/**
 * A Python expression, as far as BFCL reads one. Expressions that it refuses as values (comparisons, `and`, `if`, lambdas,
 * comprehensions, f-strings, `await`) are `other`, which keeps their source.
 */
export type PyNode =
  /** `isUnicode`: written `u"…"`, which Python writes back so. */
  | { readonly kind: 'constant'; readonly value: PyLiteral; readonly isUnicode: boolean }
  | { readonly kind: 'name'; readonly id: string }
  | { readonly kind: 'attribute'; readonly value: PyNode; readonly name: string }
  | PyCallNode
  | { readonly kind: 'subscript'; readonly value: PyNode; readonly slice: PyNode }
  | { readonly kind: 'slice'; readonly parts: readonly (PyNode | null)[] }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: PyNode }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: PyNode; readonly right: PyNode }
  | { readonly kind: 'sequence'; readonly type: 'list' | 'tuple' | 'set'; readonly items: readonly PyNode[] }
  /** A `null` key is `**`. */
  | { readonly kind: 'dict'; readonly members: readonly (readonly [PyNode | null, PyNode])[] }
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

/** Operators with one operand. */
export type UnaryOperator = 'not' | '+' | '-' | '~'

/** Arithmetic operators with two operands. */
export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number] | '**'

/** By precedence, the closest binding last. */
export const BINARY_OPERATORS = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '//', '%', '@']] as const

/** Reads one node and advances the cursor. */
export type Read = (cursor: Cursor) => PyNode

/** The rules of the grammar that brackets and clauses refer to. */
export interface Rules {
  readonly expression: Read
  /** An item in brackets: `a`, `name := a`, `*a`. */
  readonly item: Read
  /** An expression that binds closer than a comparison: `a | b`. */
  readonly operand: Read
  /** An expression that binds closer than `if`: `a or b`. */
  readonly condition: Read
}

/** A position in the tokens of an expression. */
export interface Cursor {
  readonly rules: Rules
  readonly source: string
  readonly tokens: readonly PyToken[]
  next: number
  /** The number of nested expressions at this position. */
  depth: number
}

/** The next token; the last one is `end`. */
export function peek(cursor: Cursor, ahead = 0): PyToken {
  const token = cursor.tokens[Math.min(cursor.next + ahead, cursor.tokens.length - 1)]
  if (token === undefined) throw syntaxError('no token')
  return token
}

/** Whether this mark or word is next. */
export function isNext(cursor: Cursor, text: string): boolean {
  const token = peek(cursor)
  return (token.type === 'mark' || token.type === 'name') && token.text === text
}

/** Takes the mark or word if it is next. */
export function take(cursor: Cursor, text: string): boolean {
  if (!isNext(cursor, text)) return false
  cursor.next += 1
  return true
}

/** Takes the mark or word, which must be next. */
export function expect(cursor: Cursor, text: string): void {
  if (!take(cursor, text)) throw syntaxError(`${text} is missing`)
}

/** Takes the next token if it is one of these marks; else null. */
export function takeOneOf<T extends string>(cursor: Cursor, texts: readonly T[]): T | null {
  return texts.find((text) => peek(cursor).type === 'mark' && take(cursor, text)) ?? null
}

/** Takes a name, which must not be a keyword. */
export function takeName(cursor: Cursor): string {
  const { type, text } = peek(cursor)
  if (type !== 'name' || isKeyword(text)) throw syntaxError('a name is missing')
  cursor.next += 1
  return text
}

/** The source from the token `from` up to here. */
export function sourceFrom(cursor: Cursor, from: number): string {
  const [first, last] = [cursor.tokens[from], cursor.tokens[cursor.next - 1]]
  return first === undefined || last === undefined ? '' : cursor.source.slice(first.at, last.end)
}

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** The error for text that Python does not read. Its text is never shown. */
export function syntaxError(what: string): Raise {
  return new Raise('SyntaxError', what)
}
