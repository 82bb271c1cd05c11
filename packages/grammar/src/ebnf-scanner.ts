import {
  type CodePointRange,
  type Expression,
  GrammarError,
  LAST_CODE_POINT,
  asciiRanges,
  complement,
  literal,
  normalizeRanges,
} from './expression.ts'

/** llama.cpp's GBNF, or the EBNF of XGrammar, where rules may go over lines and recurse on the left. */
export type EbnfDialect = 'gbnf' | 'xgrammar'

const SIMPLE_ESCAPES: Readonly<Record<EbnfDialect, Readonly<Record<string, string>>>> = {
  gbnf: { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', '[': '[', ']': ']', '-': '-' },
  xgrammar: {
    n: '\n',
    t: '\t',
    r: '\r',
    f: '\f',
    v: '\v',
    b: '\b',
    a: '\x07',
    e: '\x1b',
    '0': '\0',
    "'": "'",
    '?': '?',
    '"': '"',
    '\\': '\\',
    '[': '[',
    ']': ']',
    '-': '-',
    '^': '^',
  },
}
const DIGITS: Readonly<Record<string, RegExp>> = { x: /[0-9a-fA-F]{2}/y, u: /[0-9a-fA-F]{4}/y, U: /[0-9a-fA-F]{8}/y }
const NAMES: Readonly<Record<EbnfDialect, RegExp>> = {
  gbnf: /[A-Za-z0-9-]+/y,
  xgrammar: /[A-Za-z_.-][A-Za-z0-9_.-]*/y,
}
const MAX_COUNT = 1_000_000

/** The place in a grammar that is read next. */
export type Scanner = {
  readonly text: string
  readonly dialect: EbnfDialect
  at: number
  counted: number
  lines: number
}

/** How often something is repeated; null: without limit. */
export type Count = { readonly min: number; readonly max: number | null }

export function startScanner(text: string, dialect: EbnfDialect): Scanner {
  return { text, dialect, at: 0, counted: 0, lines: 1 }
}

/** The line of the place, from 1. */
export function lineOf(scanner: Scanner): number {
  for (; scanner.counted < scanner.at; scanner.counted += 1)
    if (scanner.text[scanner.counted] === '\n') scanner.lines += 1
  return scanner.lines
}

/** Throws `GrammarError` with the line and what is there. */
export function failAt(scanner: Scanner, reason: string): never {
  const here = scanner.text.slice(scanner.at, scanner.at + 20)
  const place = here === '' ? ', but the grammar ends' : `, at ${JSON.stringify(here)}`
  throw new GrammarError(`Line ${lineOf(scanner)}: ${reason}${place}.`)
}

function match(scanner: Scanner, pattern: RegExp): string | null {
  pattern.lastIndex = scanner.at
  const found = pattern.exec(scanner.text)?.[0]
  if (found === undefined) return null
  scanner.at += found.length
  return found
}

/** Skips a mark; false if it is not there. */
export function takeMark(scanner: Scanner, mark: string): boolean {
  if (!scanner.text.startsWith(mark, scanner.at)) return false
  scanner.at += mark.length
  return true
}

/** Skips blanks and comments. */
export function skipSpace(scanner: Scanner, overLines: boolean): void {
  match(scanner, overLines ? /(?:[ \t\r\n]|#[^\r\n]*(?:[\r\n]|$))*/y : /[ \t]*(?:#[^\r\n]*)?/y)
}

/** The name of a rule, or null. */
export function takeName(scanner: Scanner): string | null {
  return match(scanner, NAMES[scanner.dialect])
}

function takeCharacter(scanner: Scanner): number {
  const code = scanner.text.codePointAt(scanner.at)
  if (code === undefined) return failAt(scanner, 'a quote or bracket is never closed')
  scanner.at += code > 0xffff ? 2 : 1
  if (code !== 0x5c) return code
  const letter = scanner.text[scanner.at] ?? ''
  scanner.at += 1
  const pattern = DIGITS[letter]
  if (pattern === undefined) {
    const simple = SIMPLE_ESCAPES[scanner.dialect][letter]
    return simple === undefined ? failAt(scanner, `the escape \\${letter} is unknown`) : (simple.codePointAt(0) ?? 0)
  }
  // as in XGrammar: \x takes all hexadecimal digits that follow, \u and \U four and eight.
  const digits = match(scanner, scanner.dialect === 'xgrammar' && letter === 'x' ? /[0-9a-fA-F]{1,8}/y : pattern)
  const escaped = digits === null ? Number.NaN : Number.parseInt(digits, 16)
  if (escaped <= LAST_CODE_POINT) return escaped
  return failAt(scanner, `\\${letter} was expected to be followed by the hexadecimal digits of a character`)
}

/** A text in quotes, or null. */
export function takeString(scanner: Scanner): Expression | null {
  if (!takeMark(scanner, '"')) return null
  const codes: number[] = []
  while (!takeMark(scanner, '"')) codes.push(takeCharacter(scanner))
  // Half of a surrogate pair is no character of any text: nothing matches it.
  if (codes.some(isSurrogate)) return { kind: 'characters', ranges: [] }
  return literal(codes.map((code) => String.fromCodePoint(code)).join(''))
}

/** A class in brackets, the point, or null. */
export function takeClass(scanner: Scanner): Expression | null {
  if (takeMark(scanner, '.')) return { kind: 'characters', ranges: [[0, LAST_CODE_POINT]] }
  if (!takeMark(scanner, '[')) return null
  const isNegated = takeMark(scanner, '^')
  const ranges: CodePointRange[] = []
  while (!takeMark(scanner, ']')) {
    const first = takeCharacter(scanner)
    const isRange = scanner.text[scanner.at] === '-' && scanner.text[scanner.at + 1] !== ']'
    if (isRange) scanner.at += 1
    const last = isRange ? takeCharacter(scanner) : first
    if (last < first && scanner.dialect === 'xgrammar') failAt(scanner, 'a range of characters ends before it begins')
    ranges.push([first, last])
  }
  // llama.cpp makes nothing of an empty class, so that it takes no character at all.
  if (ranges.length === 0 && scanner.dialect === 'gbnf') return { kind: 'sequence', items: [] }
  const normal = normalizeRanges(ranges)
  if (!isNegated) return { kind: 'characters', ranges: normal }
  return { kind: 'characters', ranges: complement(scanner.dialect === 'xgrammar' ? asciiRanges(normal) : normal) }
}

function takeNumber(scanner: Scanner): number | null {
  const digits = match(scanner, /[0-9]+/y)
  if (digits === null) return null
  const value = Number(digits)
  return value <= MAX_COUNT ? value : failAt(scanner, `a count above ${MAX_COUNT} is not supported`)
}

/** `*`, `+`, `?` or a count in braces; null for other texts. */
export function takeCount(scanner: Scanner, overLines: boolean): Count | null {
  if (takeMark(scanner, '*')) return { min: 0, max: null }
  if (takeMark(scanner, '+')) return { min: 1, max: null }
  if (takeMark(scanner, '?')) return { min: 0, max: 1 }
  if (!takeMark(scanner, '{')) return null
  skipSpace(scanner, overLines)
  const min = takeNumber(scanner) ?? failAt(scanner, 'a number was expected after "{"')
  skipSpace(scanner, overLines)
  if (takeMark(scanner, '}')) return { min, max: min }
  if (!takeMark(scanner, ',')) return failAt(scanner, '"," or "}" was expected')
  skipSpace(scanner, overLines)
  const max = takeNumber(scanner)
  skipSpace(scanner, overLines)
  if (!takeMark(scanner, '}')) return failAt(scanner, '"}" was expected')
  if (max !== null && max < min)
    return failAt(scanner, `the repetition {${min},${max}} has a minimum above its maximum`)
  return { min, max }
}

/** Whether a rule begins here: in XGrammar's dialect a rule ends where the next one begins. */
export function isAtRule(scanner: Scanner): boolean {
  if (scanner.dialect === 'gbnf') return false
  const start = scanner.at
  const isRule = takeName(scanner) !== null && match(scanner, /\s*::=/y) !== null
  scanner.at = start
  return isRule
}

export function isAtEnd(scanner: Scanner): boolean {
  return scanner.at >= scanner.text.length
}

/** Skips the end of a rule; false if it does not end here. */
export function takeRuleEnd(scanner: Scanner): boolean {
  if (isAtEnd(scanner)) return true
  return scanner.dialect === 'gbnf' ? match(scanner, /\r\n|\n|\r/y) !== null : isAtRule(scanner)
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}
