import type { BinaryOperator, Comparison, ComparisonOperator, Expression } from './node.ts'
import { readArguments, readCall, readPrimary, readPostfix } from './primary.ts'
import { readFilter, readTest } from './filter.ts'
import type { TokenReader } from './token-reader.ts'
import type { TokenType } from './token.ts'

/*
 * Jinja's grammar of expressions, from the loosest operator to the tightest. It is not Python's: `~` binds tighter than
 * `+`, `**` takes the left side first, and a filter binds tighter than every operator but a sign.
 */

/** Reads an expression: `a if b else c`, or anything tighter. */
export function readExpression(reader: TokenReader): Expression {
  return reader.nested(() => readCondition(reader))
}

function readCondition(reader: TokenReader): Expression {
  let expression = readOr(reader)
  for (;;) {
    const { line } = reader.current()
    if (!reader.skipName('if')) return expression
    const test = readOr(reader)
    const otherwise = reader.skipName('else') ? reader.expression() : null
    expression = { kind: 'condition', test, value: expression, otherwise, line }
  }
}

/** Reads an expression that is no condition, so that an `if` behind it belongs to the loop. */
export function readOr(reader: TokenReader): Expression {
  let left = readAnd(reader)
  while (reader.skipName('or')) left = { kind: 'or', left, right: readAnd(reader) }
  return left
}

function readAnd(reader: TokenReader): Expression {
  let left = readNot(reader)
  while (reader.skipName('and')) left = { kind: 'and', left, right: readNot(reader) }
  return left
}

function readNot(reader: TokenReader): Expression {
  if (!reader.skipName('not')) return readComparison(reader)
  return { kind: 'unary', operator: 'not', operand: reader.nested(() => readNot(reader)) }
}

function readComparison(reader: TokenReader): Expression {
  const first = readSum(reader)
  const rest: Comparison[] = []
  for (;;) {
    const operator = readComparisonOperator(reader)
    if (operator === null) return rest.length === 0 ? first : { kind: 'compare', first, rest }
    rest.push({ operator, operand: readSum(reader) })
  }
}

const COMPARISONS: ReadonlySet<TokenType> = new Set<TokenType>(['eq', 'ne', 'gt', 'gteq', 'lt', 'lteq'])

function readComparisonOperator(reader: TokenReader): ComparisonOperator | null {
  if (COMPARISONS.has(reader.current().type)) return reader.next().type as ComparisonOperator
  if (reader.skipName('in')) return 'in'
  const ahead = reader.ahead()
  if (!reader.isName('not') || ahead.type !== 'name' || ahead.value !== 'in') return null
  reader.next()
  reader.next()
  return 'notin'
}

const SUMS: ReadonlySet<TokenType> = new Set<TokenType>(['add', 'sub'])
const PRODUCTS: ReadonlySet<TokenType> = new Set<TokenType>(['mul', 'div', 'floordiv', 'mod'])
const POWERS: ReadonlySet<TokenType> = new Set<TokenType>(['pow'])

function readSum(reader: TokenReader): Expression {
  return readChain(reader, SUMS, readConcat)
}

function readConcat(reader: TokenReader): Expression {
  const items = [readProduct(reader)]
  while (reader.skip('tilde')) items.push(readProduct(reader))
  const [first] = items
  return items.length === 1 && first !== undefined ? first : { kind: 'concat', items }
}

function readProduct(reader: TokenReader): Expression {
  return readChain(reader, PRODUCTS, readPower)
}

function readPower(reader: TokenReader): Expression {
  return readChain(reader, POWERS, readUnary)
}

function readChain(
  reader: TokenReader,
  operators: ReadonlySet<TokenType>,
  readOperand: (reader: TokenReader) => Expression,
): Expression {
  let left = readOperand(reader)
  while (operators.has(reader.current().type)) {
    const operator = reader.next().type as BinaryOperator
    left = { kind: 'binary', operator, left, right: readOperand(reader) }
  }
  return left
}

function readUnary(reader: TokenReader): Expression {
  return readFilters(reader, readSigned(reader))
}

function readSigned(reader: TokenReader): Expression {
  const { type } = reader.current()
  if (type !== 'sub' && type !== 'add') return readPostfix(reader, readPrimary(reader))
  reader.next()
  const operand = reader.nested(() => readSigned(reader))
  return readPostfix(reader, { kind: 'unary', operator: type === 'sub' ? 'neg' : 'pos', operand })
}

/** Filters, tests and calls behind an operand, in any order. */
function readFilters(reader: TokenReader, operand: Expression): Expression {
  let expression = operand
  for (;;) {
    const { type } = reader.current()
    if (type === 'pipe') expression = readFilter(reader, expression)
    else if (reader.isName('is')) expression = readTest(reader, expression)
    else if (type === 'lparen') expression = readCall(expression, readArguments(reader))
    else return expression
  }
}
