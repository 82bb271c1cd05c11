import type { PyLiteral } from '@callspec/python'

/**
 * A Python expression, as far as BFCL looks at one. Everything that it refuses as a value (comparisons, `and`, `if`, lambdas,
 * comprehensions, f-strings, `await`) is `other`, which keeps its source.
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
  /** `isClosed`: it has brackets or quotes of its own, and never needs any around it. */
  | { readonly kind: 'other'; readonly source: string; readonly isClosed: boolean }

/** A call. A keyword without a name is `**`. */
export interface PyCallNode {
  readonly kind: 'call'
  readonly target: PyNode
  readonly positional: readonly PyNode[]
  readonly keywords: readonly (readonly [string | null, PyNode])[]
}

/** The operators of one operand. */
export type UnaryOperator = 'not' | '+' | '-' | '~'

/** The operators of two operands that calculate. */
export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number] | '**'

/** What binds closest comes last. */
export const BINARY_OPERATORS = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '//', '%', '@']] as const
