import type { Expression } from './node.ts'
import type { TokenReader } from './token-reader.ts'
import { fail } from './token-reader.ts'
import { describeToken } from './token.ts'

/** How a tuple is read. */
export interface TupleRules {
  /** Whether an absent expression is the empty tuple, as between parentheses. */
  readonly allowsEmpty?: boolean
  /** A keyword that ends it, too. */
  readonly end?: string
  /** The reader of each part; default: an expression. */
  readonly read?: (reader: TokenReader) => Expression
}

/** Reads `a, b` as a tuple and `a` as itself. It needs no parentheses and may end in a comma. */
export function readTuple(reader: TokenReader, rules: TupleRules = {}): Expression {
  const read = rules.read ?? ((from: TokenReader) => from.expression())
  const items: Expression[] = []
  let isTuple = false
  for (;;) {
    if (items.length > 0) reader.expect('comma')
    if (isEnd(reader, rules.end)) break
    items.push(read(reader))
    if (reader.current().type !== 'comma') break
    isTuple = true
  }
  const [first] = items
  if (!isTuple && first !== undefined) return first
  if (!isTuple && rules.allowsEmpty !== true) {
    const token = reader.current()
    return fail(`Expected an expression, got '${describeToken(token)}'`, token)
  }
  return { kind: 'tuple', items }
}

/** Whether a tuple may end here, after a comma. */
export function isEnd(reader: TokenReader, end: string | undefined): boolean {
  const { type } = reader.current()
  if (type === 'variable_end' || type === 'block_end' || type === 'rparen') return true
  return end !== undefined && reader.isName(end)
}
