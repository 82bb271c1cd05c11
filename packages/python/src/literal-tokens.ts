import { invalidSyntax } from './literal-error.ts'
import { readLiteralNumber } from './literal-number.ts'
import { readLiteralString, stringStart } from './literal-string.ts'
import type { PyLiteral } from './literal-value.ts'
import { isDigit } from './scan.ts'

/** A piece of Python source. `at` is its UTF-16 offset. */
export type LiteralToken =
  | { readonly type: 'number'; readonly at: number; readonly value: PyLiteral }
  /** `pieces` of one string literal; `format` marks an f-string, whose content is nobody's business here. */
  | {
      readonly type: 'string'
      readonly at: number
      readonly kind: 'text' | 'bytes' | 'format'
      readonly pieces: readonly string[]
    }
  | { readonly type: 'name'; readonly at: number; readonly text: string }
  | { readonly type: 'mark'; readonly at: number; readonly text: string }
  | { readonly type: 'end'; readonly at: number }

/** More nested brackets are an error of Python's tokenizer. */
export const MAX_BRACKETS = 200

/**
 * The tokens of a Python expression, with an `end` behind the last one. Comments and space are gone; so are line feeds
 * inside brackets and at the end, while one anywhere else ends the expression and is an error.
 *
 * Raises SyntaxError. Linear.
 */
export function literalTokens(source: string): readonly LiteralToken[] {
  const tokens: LiteralToken[] = []
  const open: string[] = []
  let at = 0
  let lineEnded = false
  for (;;) {
    const next = afterSpace(source, at)
    lineEnded ||= open.length === 0 && next.crossedLine && tokens.length > 0
    at = next.at
    if (at >= source.length) break
    if (tokens.length === 0 && next.crossedLine && source[at - 1] !== '\n') throw invalidSyntax(source, at, 'indented')
    const token = tokenAt(source, at)
    if (lineEnded) throw invalidSyntax(source, at)
    if (token.token.type === 'mark') track(open, token.token.text, source, at)
    tokens.push(token.token)
    at = token.end
  }
  if (open.length > 0) throw invalidSyntax(source, source.length, `'${open.at(-1)}' was never closed`)
  tokens.push({ type: 'end', at: source.length })
  return tokens
}

function afterSpace(source: string, from: number): { readonly at: number; readonly crossedLine: boolean } {
  let crossedLine = false
  let at = from
  for (;;) {
    const char = source.charAt(at)
    if (char === '\n') crossedLine = true
    if (char === ' ' || char === '\t' || char === '\f' || char === '\n') at++
    else if (char === '\\' && source[at + 1] === '\n') at += 2
    else if (char === '#') at = lineEnd(source, at)
    else return { at, crossedLine }
  }
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

interface Scanned {
  readonly token: LiteralToken
  readonly end: number
}

function tokenAt(source: string, at: number): Scanned {
  const start = stringStart(source, at)
  if (start !== null) {
    const { kind, pieces, end } = readLiteralString(source, start)
    return { token: { type: 'string', at, kind, pieces }, end }
  }
  const code = source.charCodeAt(at)
  if (isDigit(code) || (code === POINT && isDigit(source.charCodeAt(at + 1)))) {
    const { value, end } = readLiteralNumber(source, at)
    return { token: { type: 'number', at, value }, end }
  }
  const name = nameAt(source, at)
  if (name !== '') return { token: { type: 'name', at, text: name.normalize('NFKC') }, end: at + name.length }
  const text = MARKS.find((mark) => source.startsWith(mark, at))
  if (text === undefined) throw invalidSyntax(source, at, 'invalid character')
  return { token: { type: 'mark', at, text }, end: at + text.length }
}

function nameAt(source: string, at: number): string {
  NAME.lastIndex = at
  return NAME.exec(source)?.[0] ?? ''
}

/** Brackets must nest and close in pairs, whatever stands between them. */
function track(open: string[], mark: string, source: string, at: number): void {
  const closing = PAIRS.get(mark)
  if (closing !== undefined) {
    if (open.length >= MAX_BRACKETS) throw invalidSyntax(source, at, 'too many nested parentheses')
    open.push(mark)
  } else if (CLOSING.has(mark)) {
    const last = open.pop()
    if (last === undefined || PAIRS.get(last) !== mark) throw invalidSyntax(source, at, `unmatched '${mark}'`)
  }
}

const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy
const POINT = 0x2e
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])
const CLOSING: ReadonlySet<string> = new Set(PAIRS.values())
/** Longest first. What only statements have (`=`, `;`, `->`) is left out: it is an error in an expression. */
const MARKS: readonly string[] = '... ** // << >> <= >= == != := ( ) [ ] { } , : . + - * / % @ & | ^ ~ < > ='.split(' ')
