import { readLiteral } from '@callspec/python'
import type { Cursor, Read, Rules, PyCallNode, PyNode, UnaryOperator } from './syntax.ts'
import { expect, isKeyword, isNext, peek, take, takeName, takeOneOf, BINARY_OPERATORS, syntaxError } from './syntax.ts'
import {
  braced,
  bracketed,
  dict,
  isClosing,
  oneOrTuple,
  otherFrom,
  isComprehension,
  skipComprehension,
  skipParameters,
} from './parse-brackets.ts'
import { pythonTokens } from '@callspec/python'

/**
 * Reads one Python expression, as `ast.parse(source, mode="eval").body`. Exact for expressions that BFCL takes as values; the
 * contents of f-strings are not read, and names of characters (`\N{…}`) are unknown. Linear.
 *
 * @throws Raise for text that Python refuses: wrong syntax, null bytes, too much nesting
 */
export function parsePython(text: string): PyNode {
  if (text.includes('\0')) throw syntaxError('null bytes')
  if (LONE_SURROGATE.test(text)) throw syntaxError('surrogates cannot be encoded')
  const source = text.replaceAll(/\r\n?/g, '\n')
  const cursor: Cursor = { rules: RULES, source, tokens: pythonTokens(source), next: 0, depth: 0 }
  const node = oneOrTuple(cursor, expression)
  if (!isClosing(cursor, null)) throw syntaxError('invalid syntax')
  return node
}

const LONE_SURROGATE = /\p{Surrogate}/u
/** About where Python runs out of stack. */
const MAX_DEPTH = 300

const RULES: Rules = { expression, item, operand: (cursor) => binary(cursor, 0), condition: disjunction }

/** Runs a recursive rule. */
function deeper(cursor: Cursor, read: Read): PyNode {
  if (cursor.depth >= MAX_DEPTH) throw syntaxError('too deep')
  cursor.depth += 1
  const node = read(cursor)
  cursor.depth -= 1
  return node
}

function expression(cursor: Cursor): PyNode {
  return deeper(cursor, conditional)
}

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
  return take(cursor, '*') ? { kind: 'starred', value: binary(cursor, 0) } : named(cursor)
}

function named(cursor: Cursor): PyNode {
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

function inversion(cursor: Cursor): PyNode {
  return signed(cursor, ['not'], comparison)
}

/** Prefixes and their operand. */
function signed(cursor: Cursor, signs: readonly UnaryOperator[], read: Read): PyNode {
  const found: UnaryOperator[] = []
  for (let sign = signs.find((each) => take(cursor, each)); sign !== undefined;) {
    found.push(sign)
    sign = signs.find((each) => take(cursor, each))
  }
  if (found.length > MAX_DEPTH) throw syntaxError('too deep')
  return found.reduceRight((operand, operator): PyNode => ({ kind: 'unary', operator, operand }), read(cursor))
}

function comparison(cursor: Cursor): PyNode {
  const from = cursor.next
  const first = binary(cursor, 0)
  if (!takeComparator(cursor)) return first
  do binary(cursor, 0)
  while (takeComparator(cursor))
  return otherFrom(cursor, from)
}

function takeComparator(cursor: Cursor): boolean {
  if (takeOneOf(cursor, ['<', '>', '<=', '>=', '==', '!=']) !== null || take(cursor, 'in')) return true
  if (take(cursor, 'is')) return take(cursor, 'not') || true
  if (!isNext(cursor, 'not')) return false
  cursor.next += 1
  expect(cursor, 'in')
  return true
}

function binary(cursor: Cursor, level: number): PyNode {
  const operators = BINARY_OPERATORS[level]
  if (operators === undefined) return factor(cursor)
  let left = binary(cursor, level + 1)
  for (let operator = takeOneOf(cursor, operators); operator !== null; operator = takeOneOf(cursor, operators))
    left = { kind: 'binary', operator, left, right: binary(cursor, level + 1) }
  return left
}

function factor(cursor: Cursor): PyNode {
  return signed(cursor, ['-', '+', '~'], power)
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
  let node = atom(cursor)
  for (;;) {
    if (take(cursor, '.')) node = { kind: 'attribute', value: node, name: takeName(cursor) }
    else if (take(cursor, '(')) node = call(cursor, node)
    else if (take(cursor, '[')) node = { kind: 'subscript', value: node, slice: oneOrTuple(cursor, slice, ']') }
    else return node
    if (node.kind === 'subscript') expect(cursor, ']')
  }
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
function call(cursor: Cursor, target: PyNode): PyCallNode {
  const [positional, keywords]: [PyNode[], (readonly [string | null, PyNode])[]] = [[], []]
  while (!isNext(cursor, ')')) {
    if (take(cursor, '**')) keywords.push([null, expression(cursor)])
    else if (peek(cursor).type === 'name' && peek(cursor, 1).text === '=') {
      const name = takeName(cursor)
      expect(cursor, '=')
      keywords.push([name, expression(cursor)])
    } else {
      const isStarred = isNext(cursor, '*')
      // as in the reference: only named arguments may follow `**a`, only named or starred ones `a=1`.
      if (keywords.some(([name]) => name === null || !isStarred)) throw syntaxError('positional after keyword')
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
  const node = named(cursor)
  if (!isComprehension(cursor)) return node
  skipComprehension(cursor)
  if (!isFirst || !isNext(cursor, ')')) throw syntaxError('a generator needs brackets')
  return otherFrom(cursor, from)
}

function atom(cursor: Cursor): PyNode {
  const from = cursor.next
  const { type, text } = peek(cursor)
  if (type === 'text' || type === 'format') return texts(cursor)
  cursor.next += 1
  if (type === 'number') return { kind: 'constant', value: readLiteral(text), isUnicode: false }
  if (type === 'name') return isConstant(text) ? constantOf(text) : nameOf(text)
  if (text === '...') return { kind: 'constant', value: { kind: 'ellipsis' }, isUnicode: false }
  if (text === '(') return bracketed(cursor, { from, close: ')' })
  if (text === '[') return bracketed(cursor, { from, close: ']' })
  if (text === '{') return isNext(cursor, '}') || isNext(cursor, '**') ? dict(cursor, []) : braced(cursor, from)
  throw syntaxError('invalid syntax')
}

function isConstant(word: string): boolean {
  return word === 'True' || word === 'False' || word === 'None'
}

function constantOf(word: string): PyNode {
  return { kind: 'constant', value: word === 'None' ? null : word === 'True', isUnicode: false }
}

function nameOf(id: string): PyNode {
  if (isKeyword(id)) throw syntaxError('a keyword')
  return { kind: 'name', id }
}

/** Adjacent texts are one text. */
function texts(cursor: Cursor): PyNode {
  const from = cursor.next
  const found: string[] = []
  let isFormat = false
  for (let next = peek(cursor); next.type === 'text' || next.type === 'format'; next = peek(cursor)) {
    isFormat ||= next.type === 'format'
    found.push(next.text)
    cursor.next += 1
  }
  if (isFormat) return otherFrom(cursor, from, { isClosed: true })
  return { kind: 'constant', value: readLiteral(found.join(' ')), isUnicode: /^u/i.test(found[0] ?? '') }
}
