import { invalidSyntax } from './literal-error.ts'
import { attempt, Raise } from './raise.ts'
import { KEYWORDS } from './literal-nodes.ts'
import { closeWith, isClose, isMark, peek, takeMark, unexpected } from './literal-reader.ts'
import type { Reader } from './literal-reader.ts'
import { literalTokens } from './literal-tokens.ts'
import { strip } from './strip.ts'
import type { PyDict, PyValue } from './value.ts'

/** A call with keyword arguments only. */
export interface LiteralCall {
  readonly name: string
  readonly arguments: PyDict
}

/** How calls stand in a text. */
export interface CallLayout {
  /** `list`: between brackets, with commas. `lines`: one a line, or with commas. */
  readonly form: 'list' | 'lines'
  /** Words that are values besides `True`, `False` and `None`. */
  readonly words?: ReadonlyMap<string, PyValue>
}

/**
 * The calls that a text consists of, as Python 3 reads it, if it is nothing but calls by name whose arguments are keyword
 * arguments with values that JSON has: texts, numbers with a minus or none, truth, `None`, lists, dicts with texts as keys.
 * Names of arguments may be keywords. Null for everything else, such as a tuple, a sum, a name, an f-string, an infinity, a key that stands twice, or no call at
 * all. Nothing is evaluated. Two escaped halves of a character become that character. Linear.
 */
export function literalCalls(text: string, layout: CallLayout): readonly LiteralCall[] | null {
  if (text.includes('\0')) return null
  const read = attempt(() => callsIn(text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text, layout))
  return read.kind === 'returned' ? read.value : null
}

function callsIn(text: string, { form, words = NO_WORDS }: CallLayout): readonly LiteralCall[] {
  // Brackets around lines make their line feeds white space, as those of a list are.
  const source = form === 'lines' ? `[${text}\n]` : strip(text, ' \t\f\n')
  const reader: CallReader = { source, tokens: literalTokens(source), next: 0, words }
  const calls: LiteralCall[] = []
  closeWith(reader, '[')
  do {
    if (isMark(reader, ']')) break
    calls.push(readCall(reader))
  } while (takeMark(reader, ',') || (form === 'lines' && isNewLine(reader)))
  closeWith(reader, ']')
  if (peek(reader).type !== 'end' || calls.length === 0) throw unexpected(reader)
  return calls
}

interface CallReader extends Reader {
  readonly words: ReadonlyMap<string, PyValue>
}

const NO_WORDS: ReadonlyMap<string, PyValue> = new Map()

/** Whether a line feed stands between the bracket that was just read and what follows. */
function isNewLine(reader: Reader): boolean {
  const before = reader.tokens[reader.next - 1]
  return before !== undefined && reader.source.slice(before.at, peek(reader).at).includes('\n')
}

function readCall(reader: CallReader): LiteralCall {
  let name = readName(reader)
  while (takeMark(reader, '.')) name += `.${readName(reader)}`
  closeWith(reader, '(')
  const given = readMembers(reader, ')', () => {
    const key = readWord(reader)
    closeWith(reader, '=')
    return key
  })
  return { name, arguments: given }
}

/** Keys and values up to the closing bracket, which is taken; a comma may stand before it. */
function readMembers(reader: CallReader, close: ')' | '}', readKey: () => string): PyDict {
  const members = new Map<string, PyValue>()
  while (!isClose(reader, close)) {
    const { at } = peek(reader)
    const key = readKey()
    if (members.has(key)) throw new Raise('SyntaxError', `"${key}" stands twice (at ${at})`)
    members.set(key, readValue(reader))
    if (!takeMark(reader, ',')) break
  }
  closeWith(reader, close)
  return members
}

/** A name that is no keyword. A name that only becomes one by normalization is a name. */
function readName(reader: Reader): string {
  const { at } = peek(reader)
  const name = readWord(reader)
  const isSpelled = reader.source.startsWith(name, at)
  if (isSpelled && (KEYWORDS.has(name) || CONSTANTS.has(name))) throw invalidSyntax(reader.source, at)
  return name
}

/**
 * A name, keywords too: arguments are called as the tool has them, and a model that is shown a parameter `from` writes
 * `from="mi"`, though Python would not read it.
 */
function readWord(reader: Reader): string {
  const token = peek(reader)
  if (token.type !== 'name') throw unexpected(reader)
  reader.next++
  return token.text
}

function readValue(reader: CallReader): PyValue {
  const token = peek(reader)
  if (token.type === 'string') return readText(reader)
  if (token.type === 'name') {
    const value = CONSTANTS.has(token.text) ? CONSTANTS.get(token.text) : reader.words.get(token.text)
    if (value === undefined || !reader.source.startsWith(token.text, token.at)) throw unexpected(reader)
    reader.next++
    return value
  }
  if (takeMark(reader, '[')) return readItems(reader)
  if (takeMark(reader, '{')) {
    return readMembers(reader, '}', () => {
      const key = readText(reader)
      closeWith(reader, ':')
      return key
    })
  }
  const isNegative = takeMark(reader, '-')
  const value = readNumber(reader)
  return isNegative ? -value : value
}

function readItems(reader: CallReader): PyValue {
  const items: PyValue[] = []
  while (!isClose(reader, ']')) {
    items.push(readValue(reader))
    if (!takeMark(reader, ',')) break
  }
  closeWith(reader, ']')
  return items
}

/** Neighbouring string literals are one text. Bytes and f-strings are none. */
function readText(reader: Reader): string {
  const pieces: string[] = []
  for (let token = peek(reader); token.type === 'string'; token = peek(reader)) {
    if (token.kind !== 'text') throw unexpected(reader)
    pieces.push(...token.pieces)
    reader.next++
  }
  if (reader.tokens[reader.next - 1]?.type !== 'string') throw unexpected(reader)
  return pieces.join('')
}

/** JSON has neither infinities nor imaginary numbers. */
function readNumber(reader: Reader): bigint | number {
  const token = peek(reader)
  const value = token.type === 'number' ? token.value : null
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isFinite(value))) throw unexpected(reader)
  reader.next++
  return value
}

const CONSTANTS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ['True', true],
  ['False', false],
  ['None', null],
])
