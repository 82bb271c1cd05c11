import type { LiteralToken } from './literal-tokens.ts'
import { invalidSyntax } from './literal-error.ts'

/** A place among the tokens of a Python expression. */
export interface Reader {
  readonly source: string
  readonly tokens: readonly LiteralToken[]
  next: number
}

/** The text of a mark or name; empty for anything else. */
export function wordAt(reader: Reader): string {
  const token = peek(reader)
  return token.type === 'mark' || token.type === 'name' ? token.text : ''
}

/** Takes a word if it is the next one; tells whether it was. */
export function takeWord(reader: Reader, word: string): boolean {
  if (wordAt(reader) !== word) return false
  reader.next++
  return true
}

/** Takes a name. Raises SyntaxError when there is none. */
export function takeName(reader: Reader): void {
  if (peek(reader).type !== 'name') throw unexpected(reader)
  reader.next++
}

/** Whether the next token is this mark. */
export function isMark(reader: Reader, text: string): boolean {
  const token = peek(reader)
  return token.type === 'mark' && token.text === text
}

/** Whether the next token closes what is being read. */
export function isClose(reader: Reader, close: string): boolean {
  return close === 'end' ? peek(reader).type === 'end' : isMark(reader, close)
}

/** Takes a mark if it is the next token; tells whether it was. */
export function takeMark(reader: Reader, text: string): boolean {
  if (!isMark(reader, text)) return false
  reader.next++
  return true
}

/** Takes a mark. Raises SyntaxError when it is not there. */
export function closeWith(reader: Reader, mark: string): void {
  if (!takeMark(reader, mark)) throw unexpected(reader)
}

/** The next token; the end again and again once it is reached. */
export function peek(reader: Reader): LiteralToken {
  return reader.tokens[reader.next] ?? { type: 'end', at: reader.source.length }
}

/** The SyntaxError of the next token. */
export function unexpected(reader: Reader): Error {
  return invalidSyntax(reader.source, peek(reader).at)
}

/** What is left of a comprehension, an argument list or a subscript, up to the bracket that closes it. */
export function skipTo(reader: Reader, close: string): void {
  let depth = 0
  for (; ; reader.next++) {
    const token = peek(reader)
    if (token.type === 'end') break
    if (depth === 0 && isClose(reader, close)) break
    if (token.type !== 'mark') continue
    if (token.text === '(' || token.text === '[' || token.text === '{') depth++
    if (token.text === ')' || token.text === ']' || token.text === '}') depth--
  }
}
