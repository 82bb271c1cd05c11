import type { PyNode } from './nodes.ts'
import { syntaxError } from './syntax-error.ts'
import type { PyToken } from '@callspec/python'

/** Reads one node and moves on. */
export type Read = (cursor: Cursor) => PyNode

/** What brackets and clauses need of the grammar around them. */
export interface Rules {
  readonly expression: Read
  /** What stands in brackets: `a`, `name := a`, `*a`. */
  readonly item: Read
  /** What binds closer than a comparison: `a | b`. */
  readonly operand: Read
  /** What binds closer than `if`: `a or b`. */
  readonly condition: Read
}

/** A place among the tokens of an expression. */
export interface Cursor {
  readonly rules: Rules
  readonly source: string
  readonly tokens: readonly PyToken[]
  next: number
  /** How many expressions are being read inside of each other. */
  depth: number
}

/** The token that comes next; behind the last one stands `end`. */
export function peek(cursor: Cursor, ahead = 0): PyToken {
  const token = cursor.tokens[Math.min(cursor.next + ahead, cursor.tokens.length - 1)]
  if (token === undefined) throw syntaxError('no token')
  return token
}

/** Whether this mark or word comes next. */
export function isNext(cursor: Cursor, text: string): boolean {
  const token = peek(cursor)
  return (token.type === 'mark' || token.type === 'name') && token.text === text
}

/** Takes the mark or word if it comes next. */
export function take(cursor: Cursor, text: string): boolean {
  if (!isNext(cursor, text)) return false
  cursor.next += 1
  return true
}

/** Takes the mark or word that must come next. */
export function expect(cursor: Cursor, text: string): void {
  if (!take(cursor, text)) throw syntaxError(`${text} is missing`)
}

/** Takes the one of these marks that comes next; null when none does. */
export function takeOneOf<T extends string>(cursor: Cursor, texts: readonly T[]): T | null {
  return texts.find((text) => peek(cursor).type === 'mark' && take(cursor, text)) ?? null
}

/** Takes a name that is no keyword. */
export function takeName(cursor: Cursor): string {
  const { type, text } = peek(cursor)
  if (type !== 'name' || isKeyword(text)) throw syntaxError('a name is missing')
  cursor.next += 1
  return text
}

/** What is written from the token `from` up to here. */
export function sourceFrom(cursor: Cursor, from: number): string {
  const [first, last] = [cursor.tokens[from], cursor.tokens[cursor.next - 1]]
  return first === undefined || last === undefined ? '' : cursor.source.slice(first.at, last.end)
}

/** Whether a word can be no name. */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)
