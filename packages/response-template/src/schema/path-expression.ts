import { Raise, isDict, isList, loads, pyLength, truthy } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** A fault of a JMESPath expression; `type` is the class of the error in Python's `jmespath`. */
export class PathExpressionError extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.name = 'PathExpressionError'
    this.type = type
  }
}

type Expression = (value: PyValue) => PyValue

/**
 * Compiles the part of JMESPath that `x-parser-args.transform` uses: `@`, names, `a.b`, `{k: expr}`, `[expr]`, `[0]`, `[*]`,
 * `'text'`, `` `json` ``, `||`, `&&`, `!`, brackets, and the functions `length`, `keys`, `values`, `type`, `not_null`.
 *
 * @throws PathExpressionError for anything else
 */
export function compilePathExpression(source: string): Expression {
  const cursor: Cursor = { tokens: tokensOf(source), at: 0, depth: 0 }
  const expression = readOr(cursor)
  if (cursor.at < cursor.tokens.length) throw unexpected(cursor)
  return expression
}

interface Token {
  readonly kind: 'name' | 'text' | 'literal' | 'number' | 'sign'
  readonly text: string
}

interface Cursor {
  readonly tokens: readonly Token[]
  at: number
  depth: number
}

const TOKEN =
  /\s*(?:(?<name>[A-Za-z_]\w*)|"(?<quoted>(?:[^"\\]|\\.)*)"|'(?<text>(?:[^'\\]|\\.)*)'|`(?<literal>(?:[^`\\]|\\.)*)`|(?<number>-?\d+)|(?<sign>\|\||&&|[@.*{}()[\],:!]))/y

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; source.slice(at).trim() !== '';) {
    const groups = TOKEN.exec(source)?.groups
    if (groups === undefined) throw new PathExpressionError('LexerError', `JMESPath: unknown token at ${at}.`)
    at = TOKEN.lastIndex
    const { name, quoted, text, literal, number, sign } = groups
    if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted })
    else if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll("\\'", "'") })
    else if (literal !== undefined) tokens.push({ kind: 'literal', text: literal.replaceAll('\\`', '`') })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

function unexpected({ tokens, at }: Cursor): PathExpressionError {
  const token = tokens[at]
  if (token === undefined)
    return new PathExpressionError('IncompleteExpressionError', 'JMESPath: the expression is not complete.')
  return new PathExpressionError('ParseError', `JMESPath: unexpected ${token.text}.`)
}

function takeSign(cursor: Cursor, text: string): boolean {
  const token = cursor.tokens[cursor.at]
  if (token?.kind !== 'sign' || token.text !== text) return false
  cursor.at++
  return true
}

function needSign(cursor: Cursor, text: string): void {
  if (!takeSign(cursor, text)) throw unexpected(cursor)
}

const MAX_DEPTH = 100

function readOr(cursor: Cursor): Expression {
  if (++cursor.depth > MAX_DEPTH) throw new PathExpressionError('ParseError', 'JMESPath: nested too deeply.')
  let left = readAnd(cursor)
  while (takeSign(cursor, '||')) {
    const before = left
    const right = readAnd(cursor)
    left = (value) => {
      const first = before(value)
      return isTrue(first) ? first : right(value)
    }
  }
  cursor.depth--
  return left
}

function readAnd(cursor: Cursor): Expression {
  let left = readPath(cursor)
  while (takeSign(cursor, '&&')) {
    const before = left
    const right = readPath(cursor)
    left = (value) => {
      const first = before(value)
      return isTrue(first) ? right(value) : first
    }
  }
  return left
}

/** JMESPath's truth: 0 is true. */
function isTrue(value: PyValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || truthy(value)
}

function readPath(cursor: Cursor): Expression {
  return readSteps(cursor, readFirst(cursor))
}

/** What follows an expression: `.name`, `.{…}`, `[0]`, `[*]` with the rest of the path for each item. */
function readSteps(cursor: Cursor, from: Expression): Expression {
  let left = from
  for (;;) {
    const before = left
    if (takeSign(cursor, '.')) {
      const right = readFirst(cursor)
      left = (value) => right(before(value))
    } else if (
      cursor.tokens[cursor.at]?.text === '[' &&
      cursor.tokens[cursor.at]?.kind === 'sign' &&
      isBracketStep(cursor)
    ) {
      cursor.at++
      if (takeSign(cursor, '*')) {
        needSign(cursor, ']')
        return projected(
          before,
          readSteps(cursor, (value) => value),
        )
      }
      const index = Number(cursor.tokens[cursor.at++]?.text)
      needSign(cursor, ']')
      left = (value) => itemAt(before(value), index)
    } else return left
  }
}

function isBracketStep({ tokens, at }: Cursor): boolean {
  const inside = tokens[at + 1]
  return inside?.kind === 'number' || (inside?.kind === 'sign' && inside.text === '*')
}

function projected(list: Expression, rest: Expression): Expression {
  return (value) => {
    const items = list(value)
    return isList(items) ? items.map(rest).filter((item) => item !== null) : null
  }
}

function itemAt(value: PyValue, index: number): PyValue {
  return isList(value) ? (value.at(index) ?? null) : null
}

function readFirst(cursor: Cursor): Expression {
  const token = cursor.tokens[cursor.at++]
  switch (token?.kind) {
    case 'name':
      return takeSign(cursor, '(') ? readCall(cursor, token.text) : (value) => memberOf(value, token.text)
    case 'text':
      return () => token.text
    case 'literal':
      return literal(token.text)
    case 'sign':
      return readSign(cursor, token.text)
    case 'number':
    case undefined:
      cursor.at--
      throw unexpected(cursor)
  }
}

function memberOf(value: PyValue, name: string): PyValue {
  return isDict(value) ? (value.get(name) ?? null) : null
}

function literal(text: string): Expression {
  try {
    const value = loads(text.trim())
    return () => value
  } catch (error) {
    if (error instanceof Raise) return () => text.trim()
    throw error
  }
}

function readSign(cursor: Cursor, sign: string): Expression {
  switch (sign) {
    case '@':
      return (value) => value
    case '(': {
      const inner = readOr(cursor)
      needSign(cursor, ')')
      return inner
    }
    case '!': {
      const inner = readPath(cursor)
      return (value) => !isTrue(inner(value))
    }
    case '{':
      return readHash(cursor)
    case '[':
      if (isBracketStep({ ...cursor, at: cursor.at - 1 })) {
        cursor.at--
        return readSteps(cursor, (value) => value)
      }
      return readList(cursor)
    default:
      cursor.at--
      throw unexpected(cursor)
  }
}

function readHash(cursor: Cursor): Expression {
  const members: (readonly [string, Expression])[] = []
  do {
    const key = cursor.tokens[cursor.at]
    if (key?.kind !== 'name') throw unexpected(cursor)
    cursor.at++
    needSign(cursor, ':')
    members.push([key.text, readOr(cursor)])
  } while (takeSign(cursor, ','))
  needSign(cursor, '}')
  return (value) => (value === null ? null : new Map(members.map(([key, member]) => [key, member(value)] as const)))
}

function readList(cursor: Cursor): Expression {
  const items: Expression[] = []
  do items.push(readOr(cursor))
  while (takeSign(cursor, ','))
  needSign(cursor, ']')
  return (value) => (value === null ? null : items.map((item) => item(value)))
}

function readCall(cursor: Cursor, name: string): Expression {
  const given: Expression[] = []
  if (!takeSign(cursor, ')')) {
    do given.push(readOr(cursor))
    while (takeSign(cursor, ','))
    needSign(cursor, ')')
  }
  return (value) =>
    called(
      name,
      given.map((argument) => argument(value)),
    )
}

function called(name: string, given: readonly PyValue[]): PyValue {
  const [first = null] = given
  switch (name) {
    case 'length':
      if (typeof first === 'string') return BigInt(pyLength(first))
      if (isList(first)) return BigInt(first.length)
      if (isDict(first)) return BigInt(first.size)
      throw new PathExpressionError('JMESPathTypeError', 'JMESPath: length() needs a text, a list or an object.')
    case 'keys':
      if (isDict(first)) return Array.from(first.keys())
      throw new PathExpressionError('JMESPathTypeError', 'JMESPath: keys() needs an object.')
    case 'values':
      if (isDict(first)) return Array.from(first.values())
      throw new PathExpressionError('JMESPathTypeError', 'JMESPath: values() needs an object.')
    case 'not_null':
      return given.find((item) => item !== null) ?? null
    case 'type':
      return typeName(first)
    default:
      throw new PathExpressionError('UnknownFunctionError', `JMESPath: the function ${name}() is not known here.`)
  }
}

function typeName(value: PyValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'number'
  if (isList(value)) return 'array'
  return isDict(value) ? 'object' : typeof value
}
