import { Raise, attempt } from './errors.ts'
import { CONSTANTS, isKeyword, isSpelled } from './expression-nodes.ts'
import { readStringLiteral } from './string-literal.ts'
import { strip } from './text.ts'
import {
  MAX_BRACKETS,
  afterSpaceAndComment,
  firstLine,
  invalidSyntax,
  numberOf,
  saysNothing,
  tokenAt,
} from './tokens.ts'
import type { PyToken } from './tokens.ts'
import type { PyDict, PyValue } from './value.ts'

/*
 * Calls as models are taught to write them. A smaller language than Python's expressions, which `readExpression` reads: no
 * brackets around a value, no sums, no key twice. And a larger one: names of arguments may be keywords, calls may be on lines.
 */

/** A call with keyword arguments only. */
export interface LiteralCall {
  readonly name: string
  readonly arguments: PyDict
}

/** How calls are laid out in a text. */
export interface CallLayout {
  /** `list`: between brackets, with commas. `lines`: one a line, or with commas. */
  readonly form: 'list' | 'lines'
  /** Words that are values in addition to `True`, `False` and `None`. */
  readonly words?: ReadonlyMap<string, PyValue>
}

/**
 * The calls that a text consists of, as Python 3 reads it, if it is nothing but calls by name whose arguments are keyword
 * arguments with values that JSON has: texts, numbers with a minus or none, truth, `None`, lists, dicts with texts as keys.
 * Names of arguments may be keywords. Null for everything else, such as a tuple, a sum, a name, an f-string, an infinity, a key that appears twice, or no call at
 * all. Nothing is evaluated. Two escaped halves of a character become that character. Linear.
 */
export function literalCalls(text: string, layout: CallLayout): readonly LiteralCall[] | null {
  if (text.includes('\0')) return null
  const read = attempt(() => callsOfLayout(text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text, layout))
  return read.kind === 'returned' ? read.value : null
}

function callsOfLayout(text: string, { form, words = NO_WORDS }: CallLayout): readonly LiteralCall[] {
  // Brackets around lines make their line feeds white space, as those of a list are.
  const source = form === 'lines' ? `[${text}\n]` : strip(text, ' \t\f\n')
  const cursor: Cursor = { source, words, at: 0, end: 0, depth: 0 }
  pass(cursor, firstLine(source))
  const calls: LiteralCall[] = []
  expectOpen(cursor, '[')
  do {
    if (isNext(cursor, ']')) break
    calls.push(readCall(cursor))
  } while (take(cursor, ',') || (form === 'lines' && isNewLine(cursor)))
  expectClose(cursor, ']')
  if (!saysNothing(source.slice(cursor.at)) || calls.length === 0) throw unexpected(cursor)
  return calls
}

/** A place in a text of calls. They are read from their characters: a list of all tokens would take as long as reading them. */
interface Cursor {
  readonly source: string
  readonly words: ReadonlyMap<string, PyValue>
  /** Where the next token begins. */
  at: number
  /** Where the last one ended. */
  end: number
  /** Open brackets. */
  depth: number
}

const NO_WORDS: ReadonlyMap<string, PyValue> = new Map()

/** Whether there is a line feed between the bracket that was just read and what follows. */
function isNewLine({ source, end, at }: Cursor): boolean {
  return source.slice(end, at).includes('\n')
}

function readCall(cursor: Cursor): LiteralCall {
  let name = readCallName(cursor)
  while (take(cursor, '.')) name += `.${readCallName(cursor)}`
  expectOpen(cursor, '(')
  return { name, arguments: readMembers(cursor, ARGUMENTS) }
}

function readCallName(cursor: Cursor): string {
  const name = takeName(cursor)
  if (isKeyword(cursor, name)) throw unexpected(cursor)
  return name.text
}

function takeName(cursor: Cursor): PyToken {
  const token = tokenAt(cursor.source, cursor.at)
  if (token.type !== 'name') throw unexpected(cursor)
  pass(cursor, token.end)
  return token
}

/** How members are written between brackets. */
interface MemberForm {
  readonly close: ')' | '}'
  readonly afterKey: '=' | ':'
  readonly readKey: (cursor: Cursor) => string
}

/**
 * The name of an argument may be a keyword: arguments are called as the tool has them, and a model that is shown a parameter
 * `from` writes `from="mi"`, though Python would not read it.
 */
const ARGUMENTS: MemberForm = { close: ')', afterKey: '=', readKey: (cursor) => takeName(cursor).text }
const DICT: MemberForm = { close: '}', afterKey: ':', readKey: readText }

/** Keys and values up to the closing bracket, which is taken; a comma may precede it. */
function readMembers(cursor: Cursor, { close, afterKey, readKey }: MemberForm): PyDict {
  const members = new Map<string, PyValue>()
  while (!isNext(cursor, close)) {
    const { at } = cursor
    const key = readKey(cursor)
    if (members.has(key)) throw new Raise('SyntaxError', `"${key}" appears twice (at ${at})`)
    expect(cursor, afterKey)
    members.set(key, readArgument(cursor))
    if (!take(cursor, ',')) break
  }
  expectClose(cursor, close)
  return members
}

function readArgument(cursor: Cursor): PyValue {
  if (takeOpen(cursor, '[')) return readListItems(cursor)
  if (takeOpen(cursor, '{')) return readMembers(cursor, DICT)
  if (take(cursor, '-')) return -readJsonNumber(cursor)
  const token = tokenAt(cursor.source, cursor.at)
  switch (token.type) {
    case 'string':
      return readText(cursor, token)
    case 'number':
      return readJsonNumber(cursor, token)
    default:
      return readWord(cursor, token)
  }
}

function readListItems(cursor: Cursor): PyValue {
  const items: PyValue[] = []
  while (!isNext(cursor, ']')) {
    items.push(readArgument(cursor))
    if (!take(cursor, ',')) break
  }
  expectClose(cursor, ']')
  return items
}

/** Neighbouring string literals are one text. Bytes and f-strings are not texts. */
function readText(cursor: Cursor, first: PyToken = tokenAt(cursor.source, cursor.at)): string {
  if (first.type !== 'string') throw unexpected(cursor)
  let text = ''
  for (let token = first; token.type === 'string'; token = tokenAt(cursor.source, cursor.at)) {
    const { kind, pieces } = readStringLiteral(cursor.source, token)
    if (kind !== 'text') throw unexpected(cursor)
    text += pieces.join('')
    pass(cursor, token.end)
  }
  return text
}

/** JSON has neither infinities nor imaginary numbers. */
function readJsonNumber(cursor: Cursor, token: PyToken = tokenAt(cursor.source, cursor.at)): bigint | number {
  const value = token.type === 'number' ? numberOf(token) : null
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isFinite(value))) throw unexpected(cursor)
  pass(cursor, token.end)
  return value
}

function readWord(cursor: Cursor, token: PyToken): PyValue {
  const { text, end } = token
  const value = CONSTANTS.has(text) ? CONSTANTS.get(text) : cursor.words.get(text)
  if (value === undefined || !isSpelled(cursor, token)) throw unexpected(cursor)
  pass(cursor, end)
  return value
}

function isNext({ source, at }: Cursor, mark: string): boolean {
  return source[at] === mark
}

function take(cursor: Cursor, mark: string): boolean {
  if (!isNext(cursor, mark)) return false
  pass(cursor, cursor.at + 1)
  return true
}

function expect(cursor: Cursor, mark: string): void {
  if (!take(cursor, mark)) throw unexpected(cursor)
}

function takeOpen(cursor: Cursor, bracket: string): boolean {
  if (!isNext(cursor, bracket)) return false
  if (cursor.depth === MAX_BRACKETS) throw unexpected(cursor)
  cursor.depth += 1
  return take(cursor, bracket)
}

function expectOpen(cursor: Cursor, bracket: string): void {
  if (!takeOpen(cursor, bracket)) throw unexpected(cursor)
}

function expectClose(cursor: Cursor, bracket: string): void {
  cursor.depth -= 1
  expect(cursor, bracket)
}

/** Goes from the end of a token to the next one. */
function pass(cursor: Cursor, end: number): void {
  cursor.end = end
  cursor.at = afterSpaceAndComment(cursor.source, end, cursor.depth > 0)
}

function unexpected({ source, at }: Cursor): Raise {
  return invalidSyntax(source, at)
}
