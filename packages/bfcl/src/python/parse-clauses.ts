import type { Cursor } from './cursor.ts'
import { expect, isNext, peek, take, takeName } from './cursor.ts'
import type { PyNode } from './nodes.ts'
import { syntaxError } from './syntax-error.ts'

/** Whether the clauses of a comprehension come next. */
export function isComprehension(cursor: Cursor): boolean {
  return isNext(cursor, 'for') || isNext(cursor, 'async')
}

/** Passes over `for a in b if c …`, which only has to be well-formed: BFCL refuses it as a value. */
export function skipComprehension(cursor: Cursor): void {
  do {
    take(cursor, 'async')
    expect(cursor, 'for')
    skipTargets(cursor)
    expect(cursor, 'in')
    cursor.rules.condition(cursor)
    while (take(cursor, 'if')) cursor.rules.condition(cursor)
  } while (isComprehension(cursor))
}

function skipTargets(cursor: Cursor): void {
  do {
    if (isNext(cursor, 'in')) return
    take(cursor, '*')
    if (!isTarget(cursor.rules.operand(cursor))) throw syntaxError('cannot assign to this')
  } while (take(cursor, ','))
}

function isTarget(node: PyNode): boolean {
  if (node.kind === 'starred') return isTarget(node.value)
  if (node.kind === 'sequence') return node.type !== 'set' && node.items.every(isTarget)
  return node.kind === 'name' || node.kind === 'attribute' || node.kind === 'subscript'
}

/** Passes over the parameters of a lambda and its colon. */
export function skipParameters(cursor: Cursor): void {
  let [hasDefault, isNamedOnly, isOver] = [false, false, false]
  while (!isNext(cursor, ':')) {
    if (isOver) throw syntaxError('nothing may follow **')
    if (take(cursor, '**')) {
      takeName(cursor)
      isOver = true
    } else if (take(cursor, '*')) {
      if (isNamedOnly) throw syntaxError('a second *')
      isNamedOnly = true
      if (peek(cursor).type === 'name') takeName(cursor)
      else if (!isNext(cursor, ',') || peek(cursor, 1).type !== 'name') throw syntaxError('a name must follow *')
    } else if (!take(cursor, '/')) {
      takeName(cursor)
      if (take(cursor, '=')) {
        cursor.rules.expression(cursor)
        hasDefault = true
      } else if (hasDefault && !isNamedOnly) throw syntaxError('a default is missing')
    }
    if (!isNext(cursor, ':')) expect(cursor, ',')
  }
  expect(cursor, ':')
}
