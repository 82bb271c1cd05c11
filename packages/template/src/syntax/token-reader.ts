import type { Body, Expression } from './node.ts'
import { TemplateSyntaxError } from './syntax-error.ts'
import type { SourceLocation } from './syntax-error.ts'
import { describeToken, describeType } from './token.ts'
import type { Token, TokenType } from './token.ts'

/** Jinja raises a RecursionError of Python for deeper expressions and blocks; here the limit is one number. */
const MAX_NESTING = 100

/** Walks over the tokens of a template. */
export interface TokenReader {
  /** The token to be read next; the last one, `eof`, stays. */
  current(): Token
  /** The token after it. */
  ahead(): Token
  /** Reads a token of any kind. */
  next(): Token
  /** Reads a token of this kind, or fails. */
  expect(type: TokenType): Token
  /** Reads this keyword, or fails. */
  expectName(name: string): Token
  /** Reads a token of this kind if it is next. */
  skip(type: TokenType): boolean
  /** Reads this keyword if it is next. */
  skipName(name: string): boolean
  isName(name: string): boolean
  /** Reads an expression. Here, because brackets anywhere in the grammar come back to its top. */
  expression(): Expression
  /** Runs `read` one level deeper. */
  nested<T>(read: () => T): T
}

/** Makes a reader at the first of the tokens, of which the last is `eof`. */
export function createTokenReader(
  tokens: readonly Token[],
  readExpression: (reader: TokenReader) => Expression,
): TokenReader {
  let index = 0
  let depth = 0
  const last = tokens.at(-1) ?? { type: 'eof', value: '', at: 0, line: 1 }
  const at = (position: number): Token => tokens[position] ?? last
  const current = (): Token => at(index)
  const isName = (name: string): boolean => current().type === 'name' && current().value === name
  const next = (): Token => at(index++)
  const skipIf = (holds: boolean): boolean => {
    if (holds) index++
    return holds
  }
  const reader: TokenReader = {
    current,
    ahead: () => at(index + 1),
    next,
    expect: (type) => (current().type === type ? next() : missed(current(), describeType(type))),
    expectName: (name) => (isName(name) ? next() : missed(current(), name)),
    skip: (type) => skipIf(current().type === type),
    skipName: (name) => skipIf(isName(name)),
    isName,
    nested(read) {
      if (++depth > MAX_NESTING) {
        throw new TemplateSyntaxError('maximum recursion depth exceeded', current(), 'RecursionError')
      }
      const result = read()
      depth--
      return result
    },
    expression: () => readExpression(reader),
  }
  return reader
}

/** Refuses the template. */
export function fail(message: string, place: SourceLocation): never {
  throw new TemplateSyntaxError(message, place)
}

function missed(token: Token, expected: string): never {
  if (token.type === 'eof') return fail(`unexpected end of template, expected '${expected}'.`, token)
  return fail(`expected token '${expected}', got '${describeToken(token)}'`, token)
}

/** What a statement needs to read the bodies that belong to it. */
export interface BodyReader {
  readonly reader: TokenReader
  /** Reads statements up to a tag with one of these names, or up to the end if none is given. */
  readBody(ends: readonly string[]): Body
  /** Reads the end of a tag, the body after it, and the name of the tag that ends the body. */
  readRest(ends: readonly string[]): { readonly body: Body; readonly end: Token }
  /** Reports an unknown tag. */
  refuseTag(token: Token): never
}
