import { make } from '../runtime/run.ts'
import type { ComparisonOperator, Expression } from '../syntax/node.ts'
import { unreachable } from '../unreachable.ts'
import { calculate, signed } from '../values/arithmetic.ts'
import { contains } from '../values/contains.ts'
import { equal } from '../values/equality.ts'
import { compare } from '../values/order.ts'
import { truthy } from '../values/truth.ts'
import type { Run, Value } from '../values/value.ts'
import type { Evaluate, Scope } from './scope.ts'

/** Compiles `not a`, `-a` and `+a`. */
export function compileUnary(node: Expression & { kind: 'unary' }, scope: Scope): Evaluate {
  const operand = scope.compiler.expression(node.operand, scope)
  const { operator } = node
  if (operator === 'not') return (frame) => !truthy(operand(frame))
  return (frame) => signed(operator, operand(frame))
}

/** Compiles arithmetic. */
export function compileBinary(node: Expression & { kind: 'binary' }, scope: Scope): Evaluate {
  const left = scope.compiler.expression(node.left, scope)
  const right = scope.compiler.expression(node.right, scope)
  const { operator } = node
  if (operator !== 'add') return (frame) => calculate(operator, { left: left(frame), right: right(frame) }, frame.run)
  return (frame) => {
    const first = left(frame)
    const second = right(frame)
    // Most sums in a chat template join texts.
    if (typeof first !== 'string' || typeof second !== 'string') {
      return calculate(operator, { left: first, right: second }, frame.run)
    }
    make(frame.run, first.length + second.length)
    return first + second
  }
}

/** Compiles `a < b`, or a chain of such, in which each operand is computed once and the first false ends it. */
export function compileComparison(node: Expression & { kind: 'compare' }, scope: Scope): Evaluate {
  const first = scope.compiler.expression(node.first, scope)
  const rest = node.rest.map(({ operator, operand }) => ({
    holds: comparison(operator),
    operand: scope.compiler.expression(operand, scope),
  }))
  const [only] = rest
  if (rest.length === 1 && only !== undefined) {
    const { holds, operand } = only
    return (frame) => holds(first(frame), operand(frame), frame.run)
  }
  return (frame) => {
    let left = first(frame)
    for (const { holds, operand } of rest) {
      const right = operand(frame)
      if (!holds(left, right, frame.run)) return false
      left = right
    }
    return true
  }
}

type Holds = (left: Value, right: Value, run: Run) => boolean

function comparison(operator: ComparisonOperator): Holds {
  switch (operator) {
    case 'eq':
      return equal
    case 'ne':
      return (left, right, run) => !equal(left, right, run)
    case 'lt':
      return (left, right, run) => compare('<', { left, right }, run)
    case 'lteq':
      return (left, right, run) => compare('<=', { left, right }, run)
    case 'gt':
      return (left, right, run) => compare('>', { left, right }, run)
    case 'gteq':
      return (left, right, run) => compare('>=', { left, right }, run)
    case 'in':
      return (left, right, run) => contains(right, left, run)
    case 'notin':
      return (left, right, run) => !contains(right, left, run)
    default:
      return unreachable(operator)
  }
}
