import { type CodePointRange, LAST_CODE_POINT, asciiRanges, complement } from '../expression.ts'

/** How a syntax spells rules, texts and classes of characters. */
export type EbnfStyle = {
  readonly root: string
  readonly define: string
  /** The name of a state of an automaton. */
  readonly state: (name: string, index: number) => string
  readonly text: (value: string) => string
  readonly characters: (ranges: readonly CodePointRange[]) => string
  /** Whether a text is a row of characters, and automata recurse on the left. */
  readonly byCharacter: boolean
}

/** A class that no character is in. */
const NOTHING = '[^\\U00000000-\\U0010FFFF]'

const EBNF = {
  root: 'root',
  define: ' ::= ',
  state: (name: string, index: number): string => `${name}-${index}`,
  text: quoted,
  byCharacter: false,
}

/** llama.cpp's GBNF. */
export const GBNF_STYLE: EbnfStyle = { ...EBNF, characters: (ranges) => classOf(ranges, () => true) }

/** The EBNF of XGrammar, in which a negated class has ASCII only. */
export const XGRAMMAR_STYLE: EbnfStyle = {
  ...EBNF,
  characters: (ranges) => classOf(ranges, (others) => asciiRanges(others).join() === others.join()),
}

/**
 * The Lark dialect of llguidance. Its lexer takes the longest terminal that is possible, without a way back, so that every terminal is one
 * character here; its parser holds a rule per character where the recursion is on the right.
 */
export const LARK_STYLE: EbnfStyle = {
  root: 'start',
  define: ': ',
  state: (name, index) => `${name}_${index}`,
  text: (value) => (value === '' ? '""' : [...value].map(larkTerminal).join(' ')),
  characters: (ranges) => {
    const others = complement(ranges)
    const isNegated = ranges.at(-1)?.[1] === LAST_CODE_POINT && others.length > 0
    return larkClass(isNegated ? others : ranges, isNegated)
  },
  byCharacter: true,
}

function larkTerminal(char: string): string {
  if (/[ !#-[\]-~]/.test(char)) return `"${char}"`
  const code = char.codePointAt(0) ?? 0
  return larkClass([[code, code]], false)
}

function classOf(ranges: readonly CodePointRange[], mayNegate: (others: readonly CodePointRange[]) => boolean): string {
  if (ranges.length === 0) return NOTHING
  const others = complement(ranges)
  const isNegated = ranges.at(-1)?.[1] === LAST_CODE_POINT && others.length > 0 && mayNegate(others)
  return `[${isNegated ? '^' : ''}${rangesText(isNegated ? others : ranges, classCharacter)}]`
}

function larkClass(ranges: readonly CodePointRange[], isNegated: boolean): string {
  if (ranges.length === 0) return '/[^\\x{0}-\\x{10FFFF}]/'
  return `/[${isNegated ? '^' : ''}${rangesText(ranges, larkCharacter)}]/`
}

function rangesText(ranges: readonly CodePointRange[], spell: (code: number) => string): string {
  return ranges.map(([first, last]) => (first === last ? spell(first) : `${spell(first)}-${spell(last)}`)).join('')
}

function larkCharacter(code: number): string {
  const char = String.fromCodePoint(code)
  if (/[0-9A-Za-z ,.:;_<>(){}=+*?!'"@%]/.test(char)) return char
  return code > 0x7f && code < 0xd800 && /[\p{L}\p{N}\p{S}]/u.test(char)
    ? char
    : `\\x{${code.toString(16).toUpperCase()}}`
}

function classCharacter(code: number): string {
  const char = String.fromCodePoint(code)
  if (/[0-9A-Za-z ,.:;_<>(){}|=+*?!/'"#&%@~`$]/.test(char) && char !== '"') return char
  if (char === '\n') return '\\n'
  if (char === '\t') return '\\t'
  if (char === '\r') return '\\r'
  return hexEscape(code)
}

// Of fixed length: XGrammar reads any number of digits after \x.
function hexEscape(code: number): string {
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`
  return `\\U${code.toString(16).padStart(8, '0').toUpperCase()}`
}

function quoted(text: string): string {
  const inner = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') return `\\${char}`
    if (char === '\n') return '\\n'
    if (char === '\t') return '\\t'
    if (char === '\r') return '\\r'
    return code < 0x20 || code === 0x7f ? hexEscape(code) : char
  })
  return `"${inner.join('')}"`
}
