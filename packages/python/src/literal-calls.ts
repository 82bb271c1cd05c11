import { Raise, attempt } from './errors.ts'
import {
  CONSTANTS,
  cursorOf,
  expect,
  isKeyword,
  isNext,
  isSpelled,
  peek,
  take,
  unexpected,
} from './expression-nodes.ts'
import type { Cursor } from './expression-nodes.ts'
import { readStringLiteral } from './string-literal.ts'
import { strip } from './text.ts'
import { numberOf } from './tokens.ts'
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
  const cursor: CallCursor = { ...cursorOf(source), words }
  const calls: LiteralCall[] = []
  expect(cursor, '[')
  do {
    if (isNext(cursor, ']')) break
    calls.push(readCall(cursor))
  } while (take(cursor, ',') || (form === 'lines' && isNewLine(cursor)))
  expect(cursor, ']')
  if (peek(cursor).type !== 'end' || calls.length === 0) throw unexpected(cursor)
  return calls
}

interface CallCursor extends Cursor {
  readonly words: ReadonlyMap<string, PyValue>
}

const NO_WORDS: ReadonlyMap<string, PyValue> = new Map()

/** Whether there is a line feed between the bracket that was just read and what follows. */
function isNewLine(cursor: Cursor): boolean {
  const before = cursor.tokens[cursor.next - 1]
  return before !== undefined && cursor.source.slice(before.at, peek(cursor).at).includes('\n')
}

function readCall(cursor: CallCursor): LiteralCall {
  let name = readCallName(cursor)
  while (take(cursor, '.')) name += `.${readCallName(cursor)}`
  expect(cursor, '(')
  const given = readMembers(cursor, ')', () => {
    const key = readArgumentName(cursor)
    expect(cursor, '=')
    return key
  })
  return { name, arguments: given }
}

/** Keys and values up to the closing bracket, which is taken; a comma may precede it. */
function readMembers(cursor: CallCursor, close: ')' | '}', readKey: () => string): PyDict {
  const members = new Map<string, PyValue>()
  while (!isNext(cursor, close)) {
    const { at } = peek(cursor)
    const key = readKey()
    if (members.has(key)) throw new Raise('SyntaxError', `"${key}" appears twice (at ${at})`)
    members.set(key, readArgument(cursor))
    if (!take(cursor, ',')) break
  }
  expect(cursor, close)
  return members
}

function readCallName(cursor: Cursor): string {
  if (isKeyword(cursor, peek(cursor))) throw unexpected(cursor)
  return readArgumentName(cursor)
}

/**
 * A name, keywords too: arguments are called as the tool has them, and a model that is shown a parameter `from` writes
 * `from="mi"`, though Python would not read it.
 */
function readArgumentName(cursor: Cursor): string {
  const token = peek(cursor)
  if (token.type !== 'name') throw unexpected(cursor)
  cursor.next += 1
  return token.text
}

function readArgument(cursor: CallCursor): PyValue {
  const token = peek(cursor)
  if (token.type === 'string') return readCallText(cursor)
  if (token.type === 'name') {
    const value = CONSTANTS.has(token.text) ? CONSTANTS.get(token.text) : cursor.words.get(token.text)
    if (value === undefined || !isSpelled(cursor, token)) throw unexpected(cursor)
    cursor.next += 1
    return value
  }
  if (take(cursor, '[')) return readListItems(cursor)
  if (take(cursor, '{')) {
    return readMembers(cursor, '}', () => {
      const key = readCallText(cursor)
      expect(cursor, ':')
      return key
    })
  }
  const isNegative = take(cursor, '-')
  const value = readJsonNumber(cursor)
  return isNegative ? -value : value
}

function readListItems(cursor: CallCursor): PyValue {
  const items: PyValue[] = []
  while (!isNext(cursor, ']')) {
    items.push(readArgument(cursor))
    if (!take(cursor, ',')) break
  }
  expect(cursor, ']')
  return items
}

/** Neighbouring string literals are one text. Bytes and f-strings are not texts. */
function readCallText(cursor: Cursor): string {
  if (peek(cursor).type !== 'string') throw unexpected(cursor)
  let text = ''
  for (let token = peek(cursor); token.type === 'string'; token = peek(cursor)) {
    const { kind, pieces } = readStringLiteral(cursor.source, token)
    if (kind !== 'text') throw unexpected(cursor)
    text += pieces.join('')
    cursor.next += 1
  }
  return text
}

/** JSON has neither infinities nor imaginary numbers. */
function readJsonNumber(cursor: Cursor): bigint | number {
  const token = peek(cursor)
  const value = token.type === 'number' ? numberOf(token) : null
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isFinite(value))) throw unexpected(cursor)
  cursor.next += 1
  return value
}
