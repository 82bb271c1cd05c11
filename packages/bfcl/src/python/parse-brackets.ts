import type { Cursor, Read, PyNode } from './syntax.ts'
import { expect, isNext, peek, sourceFrom, take, syntaxError, takeName } from './syntax.ts'

/** The content of round or square brackets. Round brackets around one expression add no node. */
export function bracketed(
  cursor: Cursor,
  { from, close }: { readonly from: number; readonly close: ')' | ']' },
): PyNode {
  const type = close === ')' ? 'tuple' : 'list'
  if (take(cursor, close)) return { kind: 'sequence', type, items: [] }
  if (close === ')' && take(cursor, 'yield')) return yielded(cursor, from)
  const first = cursor.rules.item(cursor)
  if (isComprehension(cursor)) return comprehension(cursor, first, { from, close })
  const isOne = close === ')' && !isNext(cursor, ',')
  const items = [first, ...moreItems(cursor, cursor.rules.item, close)]
  expect(cursor, close)
  if (!isOne) return { kind: 'sequence', type, items }
  if (first.kind === 'starred') throw syntaxError('a star outside a list')
  return first
}

function yielded(cursor: Cursor, from: number): PyNode {
  if (take(cursor, 'from')) cursor.rules.expression(cursor)
  else if (!isNext(cursor, ')')) oneOrTuple(cursor, cursor.rules.item, ')')
  expect(cursor, ')')
  return otherFrom(cursor, from, { isClosed: true })
}

function comprehension(cursor: Cursor, first: PyNode, { from, close }: { from: number; close: string }): PyNode {
  if (first.kind === 'starred') throw syntaxError('a star in a comprehension')
  skipComprehension(cursor)
  expect(cursor, close)
  return otherFrom(cursor, from, { isClosed: true })
}

/** A set, or a dict with at least one member. */
export function braced(cursor: Cursor, from: number): PyNode {
  const first = cursor.rules.item(cursor)
  if (first.kind !== 'starred' && take(cursor, ':')) {
    const value = cursor.rules.expression(cursor)
    if (!isComprehension(cursor)) return dict(cursor, [[first, value]])
  }
  if (isComprehension(cursor)) return comprehension(cursor, first, { from, close: '}' })
  const items = [first, ...moreItems(cursor, cursor.rules.item, '}')]
  expect(cursor, '}')
  return { kind: 'sequence', type: 'set', items }
}

/** The remaining members of a dict, and its closing bracket. */
export function dict(cursor: Cursor, known: readonly (readonly [PyNode, PyNode])[]): PyNode {
  const members: (readonly [PyNode | null, PyNode])[] = [...known]
  while (!isNext(cursor, '}')) {
    if (members.length > 0) {
      expect(cursor, ',')
      if (isNext(cursor, '}')) break
    }
    if (take(cursor, '**')) members.push([null, cursor.rules.operand(cursor)])
    else {
      const key = cursor.rules.expression(cursor)
      expect(cursor, ':')
      members.push([key, cursor.rules.expression(cursor)])
    }
  }
  expect(cursor, '}')
  return { kind: 'dict', members }
}

/** `close`: a bracket, or null for the end of the text. */
export function isClosing(cursor: Cursor, close: string | null): boolean {
  return close === null ? peek(cursor).type === 'end' : isNext(cursor, close)
}

/** One expression, or a tuple without brackets. */
export function oneOrTuple(cursor: Cursor, read: Read, close: string | null = null): PyNode {
  const first = read(cursor)
  // Only an index may be a single star: `x[*a]` is `x[(*a,)]`.
  if (!isNext(cursor, ',') && (close !== ']' || first.kind !== 'starred')) return first
  return { kind: 'sequence', type: 'tuple', items: [first, ...moreItems(cursor, read, close)] }
}

/** The items after the first; the last may have a comma. */
function moreItems(cursor: Cursor, read: Read, close: string | null): readonly PyNode[] {
  const items: PyNode[] = []
  while (take(cursor, ',') && !isClosing(cursor, close)) items.push(read(cursor))
  return items
}

/** A node for the source from the token `from` up to here, which is not a value. */
export function otherFrom(
  cursor: Cursor,
  from: number,
  { isClosed = false }: { readonly isClosed?: boolean } = {},
): PyNode {
  return { kind: 'other', source: sourceFrom(cursor, from), isClosed }
}

export function isComprehension(cursor: Cursor): boolean {
  return isNext(cursor, 'for') || isNext(cursor, 'async')
}

/** Skips `for a in b if c …`, which only has to be well-formed: BFCL refuses it as a value. */
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

/** Skips the parameters of a lambda and its colon. */
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
