import type { Cursor, Read } from './cursor.ts'
import { expect, isNext, peek, sourceFrom, take } from './cursor.ts'
import type { PyNode } from './nodes.ts'
import { isComprehension, skipComprehension } from './parse-clauses.ts'
import { syntaxError } from './syntax-error.ts'

/** What stands in round or square brackets; brackets around one expression leave no trace. */
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
  if (first.kind === 'starred') throw syntaxError('a star outside of a list')
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

/** The members of a dict behind those that are known, and its closing bracket. */
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
  // Only an index may be a star alone: `x[*a]` is `x[(*a,)]`.
  if (!isNext(cursor, ',') && (close !== ']' || first.kind !== 'starred')) return first
  return { kind: 'sequence', type: 'tuple', items: [first, ...moreItems(cursor, read, close)] }
}

/** The items behind a first one; a comma may stand before the end. */
function moreItems(cursor: Cursor, read: Read, close: string | null): readonly PyNode[] {
  const items: PyNode[] = []
  while (take(cursor, ',') && !isClosing(cursor, close)) items.push(read(cursor))
  return items
}

/** What has been read from the token `from` on, and is no value. */
export function otherFrom(
  cursor: Cursor,
  from: number,
  { isClosed = false }: { readonly isClosed?: boolean } = {},
): PyNode {
  return { kind: 'other', source: sourceFrom(cursor, from), isClosed }
}
