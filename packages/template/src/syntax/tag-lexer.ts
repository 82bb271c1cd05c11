import { readStringLiteral } from './string-literal.ts'
import { TemplateSyntaxError } from './syntax-error.ts'
import type { OperatorType, Token, TokenType } from './token.ts'
import { OPERATORS } from './token.ts'

/** How far a template has been read. Moved on by whoever reads. */
export interface Cursor {
  readonly source: string
  at: number
  line: number
}

/** The end of a tag: its delimiter, and whether a line feed behind it goes away with it (`trim_blocks`). */
export interface TagEnd {
  readonly type: 'variable_end' | 'block_end'
  readonly delimiter: '}}' | '%}'
  readonly trims: boolean
}

/**
 * Reads the tokens of one tag, its end included, into `tokens`; the cursor stands behind its opening delimiter before, and
 * behind the white space that its end takes away after.
 *
 * A delimiter inside of brackets is no end: in `{{ {'a': {}} }}` the first `}}` closes two maps.
 */
export function readTag(cursor: Cursor, end: TagEnd, tokens: Token[]): void {
  const open: string[] = []
  while (cursor.at < cursor.source.length) {
    if (open.length === 0 && readTagEnd(cursor, end, tokens)) return
    if (!skipSpace(cursor)) tokens.push(readToken(cursor, open))
  }
}

/** Consumes the end of the tag if it is here. `-` takes the white space behind it away, `+` keeps the line feed. */
function readTagEnd(cursor: Cursor, end: TagEnd, tokens: Token[]): boolean {
  const { source, at, line } = cursor
  const sign = source.charAt(at)
  const signed = sign === '-' || (sign === '+' && end.type === 'block_end')
  if (!source.startsWith(end.delimiter, signed ? at + 1 : at)) return false
  tokens.push({ type: end.type, value: end.delimiter, at, line })
  cursor.at += end.delimiter.length + (signed ? 1 : 0)
  if (sign === '-') skipSpace(cursor)
  else if (end.trims && !signed && source.charAt(cursor.at) === '\n') moveTo(cursor, cursor.at + 1)
  return true
}

/** Moves over white space; says whether there was any. */
export function skipSpace(cursor: Cursor): boolean {
  SPACE.lastIndex = cursor.at
  const found = SPACE.exec(cursor.source)
  if (found === null) return false
  moveTo(cursor, cursor.at + found[0].length)
  return true
}

/** Moves to a later offset and counts the lines on the way. */
export function moveTo(cursor: Cursor, to: number): void {
  let feed = cursor.source.indexOf('\n', cursor.at)
  while (feed >= 0 && feed < to) {
    cursor.line++
    feed = cursor.source.indexOf('\n', feed + 1)
  }
  cursor.at = to
}

function readToken(cursor: Cursor, open: string[]): Token {
  const { at, line } = cursor
  const found = readNumber(cursor) ?? readName(cursor) ?? readString(cursor) ?? readOperator(cursor, open)
  if (found !== null) return { ...found, at, line }
  const char = String.fromCodePoint(cursor.source.codePointAt(at) ?? 0)
  throw new TemplateSyntaxError(`unexpected char '${char}' at ${at}`, { line, at })
}

interface Found {
  readonly type: TokenType
  readonly value: string
}

// White space as `\s` of Python, which has no U+FEFF but the separators of ASCII.
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/y
const NUMBER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|\d(?:_?\d)*(\.\d(?:_?\d)*)?(e[+-]?\d(?:_?\d)*)?/iy
const INTEGER = /[1-9](?:_?\d)*|0(?:_?0)*/y
const NAME = /[\p{L}\p{N}\p{XIDC}_]+/uy
const IDENTIFIER = /^[\p{XIDS}_]\p{XIDC}*$/u
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at
  return pattern.exec(cursor.source)
}

/** A number behind a dot has no fraction: `items.0.1` is two subscripts. */
function readNumber(cursor: Cursor): Found | null {
  const code = cursor.source.charCodeAt(cursor.at)
  if (!(code >= 0x30 && code <= 0x39)) return null
  const found = take(cursor, NUMBER)
  if (found === null) return null
  const behindDot = cursor.at > 0 && cursor.source.charAt(cursor.at - 1) === '.'
  const isFloat = !behindDot && (found[1] !== undefined || found[2] !== undefined)
  const isPlain = /^\d/.test(found[0]) && !/^0[box]/i.test(found[0])
  const value = isFloat || !isPlain ? found[0] : (take(cursor, INTEGER)?.[0] ?? found[0])
  cursor.at += value.length
  return { type: isFloat ? 'float' : 'integer', value: value.replaceAll('_', '') }
}

function readName(cursor: Cursor): Found | null {
  const found = take(cursor, NAME)
  if (found === null) return null
  if (!IDENTIFIER.test(found[0])) {
    throw new TemplateSyntaxError('Invalid character in identifier', { line: cursor.line, at: cursor.at })
  }
  cursor.at += found[0].length
  return { type: 'name', value: found[0] }
}

function readString(cursor: Cursor): Found | null {
  const found = take(cursor, STRING)
  if (found === null) return null
  const read = readStringLiteral(found[0].slice(1, -1))
  if ('problem' in read) throw new TemplateSyntaxError(read.problem, { line: cursor.line, at: cursor.at })
  moveTo(cursor, cursor.at + found[0].length)
  return { type: 'string', value: read.text }
}

const CLOSES: Readonly<Partial<Record<OperatorType, string>>> = { lbrace: '}', lparen: ')', lbracket: ']' }

function readOperator(cursor: Cursor, open: string[]): Found | null {
  const { source, at } = cursor
  const found = OPERATORS.find(([spelling]) => source.startsWith(spelling, at))
  if (found === undefined) return null
  const [value, type] = found
  const closing = CLOSES[type]
  if (closing !== undefined) open.push(closing)
  if (value === '}' || value === ')' || value === ']') close(value, open, cursor)
  cursor.at += value.length
  return { type, value }
}

function close(value: string, open: string[], cursor: Cursor): void {
  const expected = open.pop()
  if (expected === value) return
  const detail = expected === undefined ? '' : `, expected '${expected}'`
  throw new TemplateSyntaxError(`unexpected '${value}'${detail}`, { line: cursor.line, at: cursor.at })
}
