import {
  BINARY_LEVELS,
  CONSTANTS,
  cursorOf,
  expect,
  isNext,
  isSpelled,
  peek,
  take,
  takeName,
  unexpected,
} from './expression-nodes.ts'
import type { BinaryOperator, Cursor, PyCallNode, PyMember, PyNode, UnaryOperator } from './expression-nodes.ts'
import { Raise } from './errors.ts'
import { readStringLiteral } from './string-literal.ts'
import type { StringLiteral } from './string-literal.ts'
import { numberOf } from './tokens.ts'
import type { FindNames } from './tokens.ts'
import { textOfPieces } from './value.ts'

/**
 * Reads one Python expression, as `ast.parse(text, mode="eval").body`. The contents of f-strings are not read. Linear.
 *
 * @param names called at the first `\N{…}`; without it that is a SyntaxError
 * @throws Raise SyntaxError, also for more than 200 nested brackets or 300 nested expressions; ValueError for a null byte,
 *   UnicodeEncodeError for an unpaired surrogate
 */
export function readExpression(text: string, names?: FindNames): PyNode {
  if (text.includes('\0')) throw new Raise('ValueError', 'source code string cannot contain null bytes')
  if (LONE_SURROGATE.test(text))
    throw new Raise('UnicodeEncodeError', "'utf-8' codec can't encode: surrogates not allowed")
  const source = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  const cursor = cursorOf(source, names)
  const node = oneOrTuple(cursor, expression, 'end')
  if (peek(cursor).type !== 'end') throw unexpected(cursor)
  return node
}

type Read = (cursor: Cursor) => PyNode

const LONE_SURROGATE = /\p{Surrogate}/u
const MAX_EXPRESSIONS = 300

function deeper(cursor: Cursor, read: Read): PyNode {
  if (cursor.depth >= MAX_EXPRESSIONS) throw unexpected(cursor)
  cursor.depth += 1
  const node = read(cursor)
  cursor.depth -= 1
  return node
}

function expression(cursor: Cursor): PyNode {
  const { type, text } = peek(cursor)
  // Most expressions are one token, which needs none of the rules below.
  if ((type === 'string' || type === 'number' || CONSTANTS.has(text)) && CLOSERS.has(peek(cursor, 1).text))
    return atomExpression(cursor)
  return deeper(cursor, conditional)
}

const CLOSERS: ReadonlySet<string> = new Set([',', ':', ')', ']', '}'])

function conditional(cursor: Cursor): PyNode {
  const from = cursor.next
  if (take(cursor, 'lambda')) {
    skipParameters(cursor)
    expression(cursor)
    return otherFrom(cursor, from)
  }
  const node = disjunction(cursor)
  if (!take(cursor, 'if')) return node
  disjunction(cursor)
  expect(cursor, 'else')
  expression(cursor)
  return otherFrom(cursor, from)
}

/** An item of brackets: `a`, `name := a`, `*a`. */
function item(cursor: Cursor): PyNode {
  return take(cursor, '*') ? { kind: 'starred', value: binary(cursor) } : namedExpression(cursor)
}

function namedExpression(cursor: Cursor): PyNode {
  if (peek(cursor, 1).text !== ':=') return expression(cursor)
  const from = cursor.next
  takeName(cursor)
  expect(cursor, ':=')
  expression(cursor)
  return otherFrom(cursor, from)
}

function disjunction(cursor: Cursor): PyNode {
  const from = cursor.next
  const first = inversion(cursor)
  if (!isNext(cursor, 'or') && !isNext(cursor, 'and')) return first
  while (take(cursor, 'or') || take(cursor, 'and')) inversion(cursor)
  return otherFrom(cursor, from)
}

const inversion: Read = (cursor) => signedOperand(cursor, ['not'], comparison)
const factor: Read = (cursor) => signedOperand(cursor, ['-', '+', '~'], power)

/** Prefixes and their operand. */
function signedOperand(cursor: Cursor, signs: readonly UnaryOperator[], read: Read): PyNode {
  const found: UnaryOperator[] = []
  for (let sign = takeSign(cursor, signs); sign !== undefined; sign = takeSign(cursor, signs)) found.push(sign)
  return found.reduceRight((operand, operator): PyNode => ({ kind: 'unary', operator, operand }), read(cursor))
}

function takeSign(cursor: Cursor, signs: readonly UnaryOperator[]): UnaryOperator | undefined {
  return signs.find((sign) => take(cursor, sign))
}

function comparison(cursor: Cursor): PyNode {
  const from = cursor.next
  const first = binary(cursor)
  if (!takeComparator(cursor)) return first
  do binary(cursor)
  while (takeComparator(cursor))
  return otherFrom(cursor, from)
}

const COMPARATORS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', '==', '!='])

function takeComparator(cursor: Cursor): boolean {
  const { type, text } = peek(cursor)
  if (type === 'mark' && COMPARATORS.has(text)) {
    cursor.next += 1
    return true
  }
  if (type !== 'name') return false
  if (take(cursor, 'in')) return true
  if (take(cursor, 'is')) return take(cursor, 'not') || true
  if (!take(cursor, 'not')) return false
  expect(cursor, 'in')
  return true
}

/** Operands with operators between them that bind at least as close as `lowest`. */
function binary(cursor: Cursor, lowest = 0): PyNode {
  let left = factor(cursor)
  for (;;) {
    const { type, text } = peek(cursor)
    const level = type === 'mark' ? BINARY_LEVELS.get(text) : undefined
    if (level === undefined || level < lowest) return left
    cursor.next += 1
    left = { kind: 'binary', operator: text as BinaryOperator, left, right: binary(cursor, level + 1) }
  }
}

function power(cursor: Cursor): PyNode {
  const from = cursor.next
  const isAwaited = take(cursor, 'await')
  const operand = primary(cursor)
  const left = isAwaited ? otherFrom(cursor, from) : operand
  return take(cursor, '**') ? { kind: 'binary', operator: '**', left, right: deeper(cursor, factor) } : left
}

/** An atom and all that follows it: `.name`, `(…)`, `[…]`. */
function primary(cursor: Cursor): PyNode {
  let node = atomExpression(cursor)
  for (;;) {
    if (take(cursor, '.')) node = { kind: 'attribute', value: node, name: takeName(cursor) }
    else if (take(cursor, '(')) node = callArguments(cursor, node)
    else if (take(cursor, '[')) node = subscript(cursor, node)
    else return node
  }
}

function subscript(cursor: Cursor, value: PyNode): PyNode {
  const index = oneOrTuple(cursor, slice, ']')
  expect(cursor, ']')
  return { kind: 'subscript', value, slice: index }
}

function slice(cursor: Cursor): PyNode {
  const first = isNext(cursor, ':') ? null : item(cursor)
  if (first !== null && !isNext(cursor, ':')) return first
  const parts = [first]
  while (parts.length < 3 && take(cursor, ':'))
    parts.push([':', ',', ']'].some((mark) => isNext(cursor, mark)) ? null : expression(cursor))
  return { kind: 'slice', parts }
}

/** The arguments after an opening bracket, and the closing one. */
function callArguments(cursor: Cursor, target: PyNode): PyCallNode {
  const [positional, keywords]: [PyNode[], (readonly [string | null, PyNode])[]] = [[], []]
  let isUnpacked = false
  while (!isNext(cursor, ')')) {
    if (take(cursor, '**')) {
      keywords.push([null, expression(cursor)])
      isUnpacked = true
    } else if (peek(cursor).type === 'name' && peek(cursor, 1).text === '=') {
      const name = takeName(cursor)
      expect(cursor, '=')
      keywords.push([name, expression(cursor)])
    } else {
      const isStarred = isNext(cursor, '*')
      // as in the reference: only named arguments may follow `**a`, only named or starred ones `a=1`.
      if (isUnpacked || (keywords.length > 0 && !isStarred)) throw unexpected(cursor)
      positional.push(isStarred ? item(cursor) : argument(cursor, positional.length === 0))
    }
    if (!isNext(cursor, ')')) expect(cursor, ',')
  }
  expect(cursor, ')')
  return { kind: 'call', target, positional, keywords }
}

/** A positional argument. A comprehension without its own brackets must be the only argument. */
function argument(cursor: Cursor, isFirst: boolean): PyNode {
  const from = cursor.next
  const node = namedExpression(cursor)
  if (!isComprehension(cursor)) return node
  skipComprehension(cursor)
  if (!isFirst || !isNext(cursor, ')')) throw unexpected(cursor)
  return otherFrom(cursor, from)
}

function atomExpression(cursor: Cursor): PyNode {
  const from = cursor.next
  const token = peek(cursor)
  const { type, text } = token
  if (type === 'string') return strings(cursor)
  if (type === 'name') {
    const value = isSpelled(cursor, token) ? CONSTANTS.get(text) : undefined
    if (value === undefined) return { kind: 'name', id: takeName(cursor) }
    cursor.next += 1
    return { kind: 'constant', value }
  }
  if (type === 'end') throw unexpected(cursor)
  cursor.next += 1
  if (type === 'number') return { kind: 'constant', value: numberOf(token) }
  if (text === '...') return { kind: 'constant', value: { kind: 'ellipsis' } }
  if (text === '(') return bracketed(cursor, from, ')')
  if (text === '[') return bracketed(cursor, from, ']')
  if (text === '{') return isNext(cursor, '}') || isNext(cursor, '**') ? dictMembers(cursor, []) : braced(cursor, from)
  cursor.next = from
  throw unexpected(cursor)
}

/** Adjacent strings are one. Bytes and text do not mix; with an f-string among them there is no value. */
function strings(cursor: Cursor): PyNode {
  const from = cursor.next
  const isUnicode = /^u/i.test(peek(cursor).text)
  const pieces: string[] = []
  let kind: StringLiteral['kind'] | null = null
  for (let token = peek(cursor); token.type === 'string'; token = peek(cursor)) {
    const read = readStringLiteral(cursor.source, token, cursor.names)
    if (kind !== null && kind !== read.kind) {
      if (kind === 'bytes' || read.kind === 'bytes') throw unexpected(cursor)
      kind = 'format'
    } else kind = read.kind
    for (const piece of read.pieces) pieces.push(piece)
    cursor.next += 1
  }
  if (kind === 'format') return otherFrom(cursor, from, { isClosed: true })
  if (kind !== 'bytes') return { kind: 'constant', value: textOfPieces(pieces), isUnicode }
  const bytes = Array.from(pieces.join(''), (char) => char.charCodeAt(0))
  return { kind: 'constant', value: { kind: 'bytes', bytes } }
}

/** The content of round or square brackets. Round brackets around one expression add no node. */
function bracketed(cursor: Cursor, from: number, close: ')' | ']'): PyNode {
  const type = close === ')' ? 'tuple' : 'list'
  if (take(cursor, close)) return { kind: 'sequence', type, items: [] }
  if (close === ')' && take(cursor, 'yield')) return yielded(cursor, from)
  const first = item(cursor)
  if (isComprehension(cursor)) return comprehension(cursor, first, { from, close })
  const isOne = close === ')' && !isNext(cursor, ',')
  const items = [first, ...moreItems(cursor, item, close)]
  expect(cursor, close)
  if (!isOne) return { kind: 'sequence', type, items }
  if (first.kind === 'starred') throw unexpected(cursor)
  return first
}

function yielded(cursor: Cursor, from: number): PyNode {
  if (take(cursor, 'from')) expression(cursor)
  else if (!isNext(cursor, ')')) oneOrTuple(cursor, item, ')')
  expect(cursor, ')')
  return otherFrom(cursor, from, { isClosed: true })
}

function comprehension(cursor: Cursor, first: PyNode, { from, close }: { from: number; close: string }): PyNode {
  if (first.kind === 'starred') throw unexpected(cursor)
  skipComprehension(cursor)
  expect(cursor, close)
  return otherFrom(cursor, from, { isClosed: true })
}

/** A set, or a dict with at least one member. */
function braced(cursor: Cursor, from: number): PyNode {
  const first = item(cursor)
  if (first.kind !== 'starred' && take(cursor, ':')) {
    const value = expression(cursor)
    if (!isComprehension(cursor)) return dictMembers(cursor, [[first, value]])
  }
  if (isComprehension(cursor)) return comprehension(cursor, first, { from, close: '}' })
  const items = [first, ...moreItems(cursor, item, '}')]
  expect(cursor, '}')
  return { kind: 'sequence', type: 'set', items }
}

/** The remaining members of a dict, and its closing bracket. */
function dictMembers(cursor: Cursor, known: readonly PyMember[]): PyNode {
  const members = [...known]
  while (!isNext(cursor, '}')) {
    if (members.length > 0) {
      expect(cursor, ',')
      if (isNext(cursor, '}')) break
    }
    if (take(cursor, '**')) members.push([null, binary(cursor)])
    else {
      const key = expression(cursor)
      expect(cursor, ':')
      members.push([key, expression(cursor)])
    }
  }
  expect(cursor, '}')
  return { kind: 'dict', members }
}

/** One expression, or a tuple without brackets. */
function oneOrTuple(cursor: Cursor, read: Read, close: string): PyNode {
  const first = read(cursor)
  // Only an index may be a single star: `x[*a]` is `x[(*a,)]`.
  if (!isNext(cursor, ',') && (close !== ']' || first.kind !== 'starred')) return first
  return { kind: 'sequence', type: 'tuple', items: [first, ...moreItems(cursor, read, close)] }
}

/** The items after the first, up to a bracket or the `end` of the text; a comma may follow the last. */
function moreItems(cursor: Cursor, read: Read, close: string): readonly PyNode[] {
  const items: PyNode[] = []
  while (take(cursor, ',') && !(close === 'end' ? peek(cursor).type === 'end' : isNext(cursor, close)))
    items.push(read(cursor))
  return items
}

/** A node for the source from the token `from` up to here, which is not a value. */
function otherFrom(cursor: Cursor, from: number, { isClosed = false } = {}): PyNode {
  const [first, last] = [cursor.tokens[from], cursor.tokens[cursor.next - 1]]
  const source = first === undefined || last === undefined ? '' : cursor.source.slice(first.at, last.end)
  return { kind: 'other', source, isClosed }
}

function isComprehension(cursor: Cursor): boolean {
  return isNext(cursor, 'for') || isNext(cursor, 'async')
}

/** Skips `for a in b if c …`, which only has to be well-formed: it is not a value. */
function skipComprehension(cursor: Cursor): void {
  do {
    take(cursor, 'async')
    expect(cursor, 'for')
    skipTargets(cursor)
    expect(cursor, 'in')
    disjunction(cursor)
    while (take(cursor, 'if')) disjunction(cursor)
  } while (isComprehension(cursor))
}

function skipTargets(cursor: Cursor): void {
  do {
    if (isNext(cursor, 'in')) return
    take(cursor, '*')
    if (!isTarget(binary(cursor))) throw unexpected(cursor)
  } while (take(cursor, ','))
}

function isTarget(node: PyNode): boolean {
  if (node.kind === 'starred') return isTarget(node.value)
  if (node.kind === 'sequence') return node.type !== 'set' && node.items.every(isTarget)
  return node.kind === 'name' || node.kind === 'attribute' || node.kind === 'subscript'
}

/** Skips the parameters of a lambda and its colon. */
function skipParameters(cursor: Cursor): void {
  let [hasDefault, isNamedOnly, isOver] = [false, false, false]
  while (!isNext(cursor, ':')) {
    if (isOver) throw unexpected(cursor)
    if (take(cursor, '**')) {
      takeName(cursor)
      isOver = true
    } else if (take(cursor, '*')) {
      if (isNamedOnly) throw unexpected(cursor)
      isNamedOnly = true
      if (peek(cursor).type === 'name') takeName(cursor)
      else if (!isNext(cursor, ',') || peek(cursor, 1).type !== 'name') throw unexpected(cursor)
    } else if (!take(cursor, '/')) {
      takeName(cursor)
      if (take(cursor, '=')) {
        expression(cursor)
        hasDefault = true
      } else if (hasDefault && !isNamedOnly) throw unexpected(cursor)
    }
    if (!isNext(cursor, ':')) expect(cursor, ',')
  }
  expect(cursor, ':')
}
