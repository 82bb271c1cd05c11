import { Raise } from './errors.ts'
import type { PyLiteral } from './value.ts'
import { intOf } from './value.ts'
import { isDigit, pyIndex } from './text.ts'

/** A piece of a Python expression, with its UTF-16 offsets. `end`: after it. */
export interface PyToken {
  readonly type: 'number' | 'string' | 'name' | 'mark' | 'end'
  readonly at: number
  readonly end: number
  /** As written; a name as Python compares it (NFKC). */
  readonly text: string
}

/** The character of a name in `\N{…}`; null for a name that no character has. */
export type CharacterNames = (name: string) => string | null

/** Called for the names at the first one; null if no names are known. */
export type FindNames = () => CharacterNames | null

/** More nested brackets are an error of Python's tokenizer. */
export const MAX_BRACKETS = 200

/**
 * The tokens of a Python expression, an `end` after them. Comments and space are gone, and so are line feeds inside of
 * brackets; an indented first line, a second line that says something, brackets that do not pair and texts that do not end
 * are errors, as for `ast.parse(…, mode="eval")`.
 *
 * @throws Raise SyntaxError. Linear.
 */
export function pythonTokens(source: string): readonly PyToken[] {
  const tokens: PyToken[] = []
  const open: string[] = []
  let at = firstLine(source)
  for (;;) {
    at = afterSpaceAndComment(source, at, open.length > 0)
    if (at >= source.length) break
    if (source[at] === '\n') {
      if (!saysNothing(source.slice(at + 1))) throw invalidSyntax(source, at)
      break
    }
    const token = tokenAt(source, at)
    if (token.type === 'mark') track(open, token, source)
    tokens.push(token)
    at = token.end
  }
  if (open.length > 0) throw invalidSyntax(source, source.length)
  tokens.push({ type: 'end', at: source.length, end: source.length, text: '' })
  return tokens
}

/** Where the first line begins that says something. A form feed sets the column back to the left. Loops: a pattern keeps a trace of each line. */
export function firstLine(source: string): number {
  for (let line = 0; ;) {
    let at = line
    while (source[at] === ' ' || source[at] === '\t' || source[at] === '\f') at += 1
    const end = source[at] === '#' ? lineEnd(source, at) : at
    if (source[end] !== '\n') {
      if (at > line && source[at - 1] !== '\f') throw invalidSyntax(source, line)
      return at
    }
    line = end + 1
  }
}

export function afterSpaceAndComment(source: string, from: number, isInBrackets: boolean): number {
  let at = from
  for (;;) {
    const char = source.charAt(at)
    if (char === ' ' || char === '\t' || char === '\f' || (char === '\n' && isInBrackets)) at += 1
    else if (char === '\\' && source[at + 1] === '\n') {
      at += 2
      if (at >= source.length) throw invalidSyntax(source, at)
    } else if (char === '#') at = lineEnd(source, at)
    else return at
  }
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

/** Whether lines are blank or comments. as in the reference: blanks after the last line feed are an indentation. */
export function saysNothing(rest: string): boolean {
  const lines = rest.split('\n')
  return lines.every((line, index) => {
    const said = line.replace(/^[ \t\f]+/, '')
    return said.startsWith('#') || (said === '' && (line === '' || index < lines.length - 1))
  })
}

export function tokenAt(source: string, at: number): PyToken {
  const char = source.charAt(at)
  if (LONE_MARKS.has(char)) return token('mark', at, char)
  const head = STRING_STARTS.has(char) ? matchAt(STRING_HEAD, source, at) : ''
  if (head !== '') return stringAt(source, at, head)
  const code = source.charCodeAt(at)
  if (isDigit(code) || (code === POINT && isDigit(source.charCodeAt(at + 1))))
    return token('number', at, source.slice(at, numberEnd(source, at)))
  const name = matchAt(NAME, source, at)
  if (name !== '')
    return { type: 'name', at, end: at + name.length, text: BEYOND_ASCII.test(name) ? name.normalize('NFKC') : name }
  const mark = matchAt(MARK, source, at)
  if (mark === '') throw invalidSyntax(source, at)
  return token('mark', at, mark)
}

/** `head` is a prefix, which may be empty, and the quotation marks. */
function stringAt(source: string, at: number, head: string): PyToken {
  const quote = head.slice(head.search(QUOTATION_MARK))
  const end = closingQuote(source, at + head.length, quote)
  if (end < 0 || end >= source.length) throw invalidSyntax(source, at, 'unterminated string literal')
  return token('string', at, source.slice(at, end + quote.length))
}

/** The offset of the marks that end a string; -1 for one that goes on to the end, or to the end of its line. */
function closingQuote(source: string, from: number, quote: string): number {
  const first = source.indexOf(quote, from)
  const body = source.slice(from, first < 0 ? source.length : first)
  // Most strings have no backslash: then three searches by the engine are all there is to do.
  if (!body.includes('\\')) return quote.length === 1 && body.includes('\n') ? -1 : first
  for (let end = from + body.indexOf('\\'); end < source.length; end++) {
    const unit = source.charCodeAt(end)
    if (unit === BACKSLASH) end++
    else if (unit === LINE_FEED && quote.length === 1) return -1
    else if (unit === quote.charCodeAt(0) && source.startsWith(quote, end)) return end
  }
  return -1
}

function token(type: PyToken['type'], at: number, text: string): PyToken {
  return { type, at, end: at + text.length, text }
}

/** What a sticky pattern matches at an offset; empty for nothing. */
function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at
  return pattern.test(source) ? source.slice(at, pattern.lastIndex) : ''
}

/** Brackets must nest and close in pairs, with anything between them. */
function track(open: string[], { text: mark, at }: PyToken, source: string): void {
  const closing = PAIRS.get(mark)
  if (closing !== undefined) {
    if (open.length >= MAX_BRACKETS) throw invalidSyntax(source, at)
    open.push(closing)
  } else if (CLOSING.has(mark) && open.pop() !== mark) throw invalidSyntax(source, at)
}

/** A quotation mark, or the first letter of a prefix. */
const STRING_STARTS: ReadonlySet<string> = new Set(`"'rbfuRBFU`)
const STRING_HEAD = /(?:[rubf]|br|rb|fr|rf)?(?:"""|'''|"|')/iy
const QUOTATION_MARK = /["']/
const LINE_FEED = 0x0a
const POINT = 0x2e
const BACKSLASH = 0x5c
const BEYOND_ASCII = /[^\0-\x7f]/
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])
const CLOSING: ReadonlySet<string> = new Set(PAIRS.values())
/** Marks with which no longer one begins. */
const LONE_MARKS: ReadonlySet<string> = new Set('()[]{},')
/** Without those that only statements have (`;`, `->`). */
const MARK = /\.\.\.|\*\*|\/\/|<<|>>|[<>=!:]=|[()[\]{},:.+\-*/%@&|^~<>=]/y

/**
 * The value of a number token: ints in four bases with `_` between digits, floats, and imaginary numbers. Raises SyntaxError for
 * a decimal int of more than 4 300 digits. Linear.
 */
export function numberOf({ text }: PyToken): PyLiteral {
  const literal = text.replaceAll('_', '')
  if (/^\d+$/.test(literal)) return decimalInt(literal)
  if (BASED.has(literal.slice(0, 2).toLowerCase())) return BigInt(literal.toLowerCase())
  if (/[jJ]$/.test(literal)) return { kind: 'complex', real: 0, imaginary: Number(literal.slice(0, -1)) }
  return Number(literal)
}

/** Where the number that begins at `at` ends. Raises SyntaxError for a malformed one. Linear. */
function numberEnd(source: string, at: number): number {
  const based = BASED.get(source.slice(at, at + 2).toLowerCase())
  const end = based === undefined ? decimalEnd(source, at) : afterGroups(source, at + 1, based)
  if (WORD.test(source.charAt(end)) && !startsKeyword(source, end)) throw invalidSyntax(source, at)
  if (based !== undefined && end < at + 3) throw invalidSyntax(source, at)
  if (based === undefined && /^0[0_]*[1-9][0-9_]*$/.test(source.slice(at, end))) throw invalidSyntax(source, at)
  return end
}

/** as in the reference: `1if x else 2` is well-formed, if deprecated. */
function startsKeyword(source: string, at: number): boolean {
  KEYWORD.lastIndex = at
  return KEYWORD.test(source)
}

/** Digits, then perhaps a fraction, an exponent and `j`. */
function decimalEnd(source: string, at: number): number {
  let end = afterDigitGroups(source, at)
  if (source[end] === '.') end = afterDigitGroups(source, end + 1)
  if (/[eE]/.test(source.charAt(end))) {
    const sign = /[+-]/.test(source.charAt(end + 1)) ? end + 2 : end + 1
    const exponent = afterDigitGroups(source, sign)
    // Without digits the letter stays, and is then found to be no part of a number.
    if (exponent > sign) end = exponent
  }
  return /[jJ]/.test(source.charAt(end)) ? end + 1 : end
}

/** `1_000`: a group of digits, then any number of groups with one `_` before each. */
function afterDigitGroups(source: string, at: number): number {
  return groupsEnd(source, at, DECIMAL)
}

/** As `afterDigitGroups`, but with a `_` allowed in front, and digits of another base. `at` is the base's letter. */
function afterGroups(source: string, at: number, digits: RegExp): number {
  const first = source[at + 1] === '_' ? at + 2 : at + 1
  return groupsEnd(source, first, digits)
}

function groupsEnd(source: string, at: number, digits: RegExp): number {
  let end = at
  for (;;) {
    if (digits.test(source.charAt(end))) end++
    else if (end > at && source[end] === '_' && digits.test(source.charAt(end + 1))) end++
    else return end
  }
}

function decimalInt(literal: string): bigint {
  try {
    return intOf(literal)
  } catch (error) {
    // Inside of source the same limit is a SyntaxError.
    if (error instanceof Raise) throw new Raise('SyntaxError', error.message)
    throw error
  }
}

const KEYWORD = /and|else|for|if|in|is|not|or/y
const DECIMAL = /[0-9]/
const BASED: ReadonlyMap<string, RegExp> = new Map([
  ['0x', /[0-9a-fA-F]/],
  ['0o', /[0-7]/],
  ['0b', /[01]/],
])
/** A letter, digit or `_` right after a number is an error. */
const WORD = /[\p{XID_Continue}]/u

/** The SyntaxError of an offset; texts of the interpreter are not part of any comparison, so this one is ours. */
export function invalidSyntax(source: string, at: number, what = 'invalid syntax'): Raise {
  return new Raise('SyntaxError', `${what} (character ${pyIndex(source, at)})`)
}
