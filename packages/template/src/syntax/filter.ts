import type { ArgumentNodes, Expression, FilterNode } from './node.ts'
import { NO_ARGUMENTS, readArguments, readPostfix, readPrimary } from './primary.ts'
import type { TokenReader } from './token-reader.ts'
import { fail } from './token-reader.ts'
import type { TokenType } from './token.ts'

/** Reads `| name(arguments)` behind a value. */
export function readFilter(reader: TokenReader, value: Expression | null): FilterNode {
  reader.expect('pipe')
  return readNamedFilter(reader, value)
}

/** Reads what stands behind the bar of a filter, or alone at the start of a filter block. */
export function readNamedFilter(reader: TokenReader, value: Expression | null): FilterNode {
  const { line } = reader.current()
  const name = readDottedName(reader)
  const given = reader.current().type === 'lparen' ? readArguments(reader) : NO_ARGUMENTS
  return { kind: 'filter', value, name, arguments: given, line }
}

/** Reads `is name`, `is not name`, `is name(arguments)` and `is name argument` behind a value. */
export function readTest(reader: TokenReader, value: Expression): Expression {
  reader.expectName('is')
  const isNegated = reader.skipName('not')
  const name = readDottedName(reader)
  const test: Expression = { kind: 'test', value, name, arguments: readTestArguments(reader) }
  return isNegated ? { kind: 'unary', operator: 'not', operand: test } : test
}

const STARTS: ReadonlySet<TokenType> = new Set<TokenType>(['name', 'string', 'integer', 'float', 'lbracket', 'lbrace'])

function readTestArguments(reader: TokenReader): ArgumentNodes {
  const token = reader.current()
  if (token.type === 'lparen') return readArguments(reader)
  const isOver = reader.isName('else') || reader.isName('or') || reader.isName('and')
  if (!STARTS.has(token.type) || isOver) return NO_ARGUMENTS
  if (reader.isName('is')) return fail('You cannot chain multiple tests with is', token)
  return { ...NO_ARGUMENTS, positional: [readPostfix(reader, readPrimary(reader))] }
}

function readDottedName(reader: TokenReader): string {
  let name = reader.expect('name').value
  while (reader.skip('dot')) name += `.${reader.expect('name').value}`
  return name
}
