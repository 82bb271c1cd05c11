/** The kinds of tokens inside a tag, under the names that Jinja gives them in its messages. */
export type TokenType =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'eof'
  | OperatorType

/** The kinds of operator tokens. */
export type OperatorType = (typeof OPERATORS)[number][1]

/** One token of a template. */
export interface Token {
  readonly type: TokenType
  /** The name, the operator, the data; the value of a string, the text of a number. */
  readonly value: string
  /** UTF-16 offset of its first character. */
  readonly at: number
  /** Line that it starts on, from 1. */
  readonly line: number
}

/** Every operator with its name; a longer one precedes its own beginning. */
export const OPERATORS = [
  ['//', 'floordiv'],
  ['**', 'pow'],
  ['==', 'eq'],
  ['!=', 'ne'],
  ['>=', 'gteq'],
  ['<=', 'lteq'],
  ['+', 'add'],
  ['-', 'sub'],
  ['/', 'div'],
  ['*', 'mul'],
  ['%', 'mod'],
  ['~', 'tilde'],
  ['[', 'lbracket'],
  [']', 'rbracket'],
  ['(', 'lparen'],
  [')', 'rparen'],
  ['{', 'lbrace'],
  ['}', 'rbrace'],
  ['>', 'gt'],
  ['<', 'lt'],
  ['=', 'assign'],
  ['.', 'dot'],
  [':', 'colon'],
  ['|', 'pipe'],
  [',', 'comma'],
  [';', 'semicolon'],
] as const

const DESCRIPTIONS: Readonly<Partial<Record<TokenType, string>>> = {
  data: 'template data / text',
  variable_begin: 'begin of print statement',
  variable_end: 'end of print statement',
  block_begin: 'begin of statement block',
  block_end: 'end of statement block',
  eof: 'end of template',
}

const SPELLINGS: ReadonlyMap<string, string> = new Map(OPERATORS.map(([spelling, type]) => [type, spelling]))

/** The name of a kind of token in Jinja's messages: an operator by its spelling. */
export function describeType(type: TokenType): string {
  return SPELLINGS.get(type) ?? DESCRIPTIONS[type] ?? type
}

/** The name of a token in Jinja's messages: a name by itself. */
export function describeToken(token: Token): string {
  return token.type === 'name' ? token.value : describeType(token.type)
}
