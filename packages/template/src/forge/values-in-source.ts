import { normalSource, tokenizeTemplate } from '../syntax/lexer.ts'
import { TemplateSyntaxError } from '../syntax/node.ts'
import type { Token } from '../syntax/token.ts'

/** A value that a template names: `message.content`, `call['name']`. */
export interface NamedValue {
  /** UTF-16 offsets in the source as Jinja reads it (`normalSource`). */
  readonly start: number
  readonly end: number
  /** From 1. */
  readonly line: number
  /** As the source spells it. */
  readonly text: string
}

/** The values that the tags of a template name, in the order of the source; none if it cannot be read. Linear. */
export function valuesInSource(source: string): readonly NamedValue[] {
  try {
    const text = normalSource(source)
    return expressionRanges(tokenizeTemplate(text)).flatMap((tokens) => valuesIn(tokens, text))
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return []
    throw error
  }
}

/** The source with values replaced; `edits` are in the order of the source. */
export function replaceValues(
  source: string,
  edits: readonly { readonly value: NamedValue; readonly by: string }[],
): string {
  const text = normalSource(source)
  const parts: string[] = []
  let at = 0
  for (const { value, by } of edits) {
    parts.push(text.slice(at, value.start), by)
    at = value.end
  }
  return [...parts, text.slice(at)].join('')
}

/** The tokens of each printed expression, and of those in tags that compute values. */
function expressionRanges(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const ranges: (readonly Token[])[] = []
  let start = -1
  for (const [index, { type }] of tokens.entries()) {
    if (type === 'variable_begin' || type === 'block_begin') start = index
    if (start < 0 || (type !== 'variable_end' && type !== 'block_end')) continue
    const inside = tokens.slice(start + 1, index)
    ranges.push(type === 'variable_end' ? inside : valuePart(inside))
    start = -1
  }
  return ranges
}

/** The part of a statement tag that computes a value; empty for tags that only open or close something. */
function valuePart(tokens: readonly Token[]): readonly Token[] {
  const find = (holds: (token: Token) => boolean): readonly Token[] => {
    const at = tokens.findIndex(holds)
    return at < 0 ? [] : tokens.slice(at + 1)
  }
  switch (tokens[0]?.value) {
    case 'if':
    case 'elif':
    case 'print':
      return tokens.slice(1)
    case 'for':
      return find(({ type, value }) => type === 'name' && value === 'in')
    case 'set':
      return find(({ type }) => type === 'assign')
    default:
      return []
  }
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['if', 'else', 'in', 'is', 'not', 'and', 'or', 'recursive', 'loop'],
  ...['true', 'True', 'false', 'False', 'none', 'None'],
])

function valuesIn(tokens: readonly Token[], source: string): readonly NamedValue[] {
  const found: NamedValue[] = []
  let index = 0
  while (index < tokens.length) {
    const token = tokens[index]
    const end = token !== undefined && startsValue(tokens, index) ? valueEnd(tokens, index) : null
    if (token === undefined || end === null) {
      index += 1
      continue
    }
    found.push({ start: token.at, end: end.at, line: token.line, text: source.slice(token.at, end.at) })
    index = end.next
  }
  return found
}

/** Whether a name begins a value: it is no keyword, filter, test, member, called function or keyword argument. */
function startsValue(tokens: readonly Token[], index: number): boolean {
  const isWord = (at: number, word: string): boolean => tokens[at]?.type === 'name' && tokens[at]?.value === word
  const token = tokens[index]
  if (token?.type !== 'name' || KEYWORDS.has(token.value)) return false
  const before = tokens[index - 1]?.type
  const after = tokens[index + 1]?.type
  const isTest = isWord(index - 1, 'is') || (isWord(index - 1, 'not') && isWord(index - 2, 'is'))
  return before !== 'dot' && before !== 'pipe' && !isTest && after !== 'assign' && after !== 'lparen'
}

/** The offset after a value and the index of the token after it. A method that is called does not belong to it. */
function valueEnd(tokens: readonly Token[], start: number): { readonly at: number; readonly next: number } {
  const name = tokens[start]
  let [at, next] = [(name?.at ?? 0) + (name?.value.length ?? 0), start + 1]
  for (;;) {
    const [first, second, third] = [tokens[next], tokens[next + 1], tokens[next + 2]]
    if (first?.type === 'dot' && second?.type === 'name' && third?.type !== 'lparen') {
      ;[at, next] = [second.at + second.value.length, next + 2]
      continue
    }
    const isKey = second?.type === 'string' || second?.type === 'integer' || second?.type === 'name'
    if (first?.type !== 'lbracket' || !isKey || third?.type !== 'rbracket') return { at, next }
    ;[at, next] = [third.at + 1, next + 3]
  }
}
