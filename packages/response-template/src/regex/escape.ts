import { caseVariants, characterSet, classOf, negated, unicodeProperty } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import { numbered, reference } from './group.ts'
import type { Assertion, RegexNode } from './node.ts'
import { regexError } from './regex-cursor.ts'
import type { RegexCursor } from './regex-cursor.ts'

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'begin',
  Z: 'end',
  z: 'end',
  b: 'boundary',
  B: 'no-boundary',
  m: 'word-begin',
  M: 'word-end',
  G: 'search-begin',
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

/** Digits of `\x41`, `\u0041` and `\U00000041`. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads what begins with a backslash, outside of a set. */
export function readBackslash(cursor: RegexCursor): RegexNode {
  const letter = cursor.source[cursor.at + 1] ?? ''
  const assertion = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined
  if (assertion !== undefined) {
    cursor.at += 2
    return { kind: 'assertion', at: assertion }
  }
  if (letter === 'g' && cursor.source[cursor.at + 2] === '<') {
    cursor.at += 3
    return reference(cursor, '>')
  }
  if (letter === 'X' || letter === 'K' || letter === 'R' || letter === 'L' || letter === 'N')
    return unsupported(cursor, letter)
  const number = referenceNumber(cursor.source, cursor.at + 1)
  if (number !== null) {
    const at = cursor.at
    cursor.at += 1 + number.length
    return numbered(cursor, Number(number), at)
  }
  const set = readClass(cursor)
  if (set !== null) return { kind: 'set', set }
  const code = readCharacterEscape(cursor)
  const folded = cursor.flags.isFolded ? setOfCharacter(code) : null
  return folded === null ? { kind: 'text', text: String.fromCodePoint(code) } : { kind: 'set', set: folded }
}

function unsupported(cursor: RegexCursor, letter: string): RegexNode {
  cursor.at += 2
  if (letter === 'R') return LINE_BREAK
  if (letter === 'L' || (letter === 'N' && cursor.source[cursor.at] === '{')) {
    const closer = letter === 'L' ? '>' : '}'
    const end = cursor.source.indexOf(closer, cursor.at)
    if (end < 0) throw regexError(`missing ${closer}`, cursor.source.length)
    cursor.at = end + 1
  }
  return { kind: 'unsupported', what: `\\${letter}` }
}

/** `\R`: a line break, two characters if it has two. */
const LINE_BREAK: RegexNode = {
  kind: 'atomic',
  body: {
    kind: 'choice',
    options: [
      { kind: 'text', text: '\r\n' },
      {
        kind: 'set',
        set: characterSet(
          '\\R',
          (code) => (code >= 10 && code <= 13) || code === 0x85 || code === 0x2028 || code === 0x2029,
        ),
      },
    ],
  },
}

/** The digits of a reference: one or two, and no octal number. */
function referenceNumber(source: string, at: number): string | null {
  const digits = /^[1-9]\d?/.exec(source.slice(at, at + 2))?.[0]
  if (digits === undefined) return null
  return /^[0-3][0-7]{2}$/.test(source.slice(at, at + 3)) ? null : digits
}

/** `\w`, `\p{L}` and the like as a set, or null. */
export function readClass(cursor: RegexCursor): CharacterSet | null {
  const { source, at } = cursor
  const letter = source[at + 1] ?? ''
  const named = classOf(letter, cursor.dialect)
  if (named !== undefined) {
    cursor.at += 2
    return named
  }
  if (letter !== 'p' && letter !== 'P') return null
  const property = /^\{(\^?)([^}]*)\}|^([A-Z])/.exec(source.slice(at + 2, at + 80))
  if (property === null) throw regexError('unknown property', at)
  const [whole, caret = '', name = '', short] = property
  const set = unicodeProperty(short ?? name)
  if (set === undefined) throw regexError('unknown property', at)
  cursor.at += 2 + whole.length
  const isNegated = (letter === 'P') !== (caret === '^')
  return isNegated ? negated(set, source.slice(at, cursor.at)) : set
}

/** The code point of an escape that means one character. */
export function readCharacterEscape(cursor: RegexCursor): number {
  const { source, at } = cursor
  const code = source.codePointAt(at + 1)
  if (code === undefined) throw regexError('bad escape (end of pattern)', at)
  const letter = String.fromCodePoint(code)
  const digits = HEX_DIGITS[letter]
  if (digits !== undefined) return readHex(cursor, letter, digits)
  const octal = /^(?:0[0-7]{0,2}|[0-3][0-7]{2})/.exec(source.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) {
    cursor.at += 1 + octal.length
    return Number.parseInt(octal, 8)
  }
  const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined
  if (control === undefined && /^[A-Za-z]$/.test(letter)) throw regexError(`bad escape \\${letter}`, at)
  if (/^\d$/.test(letter)) throw regexError('invalid group reference', at)
  cursor.at += 1 + letter.length
  return control ?? code
}

function readHex(cursor: RegexCursor, letter: string, digits: number): number {
  const { source, at } = cursor
  const text = source.slice(at + 2, at + 2 + digits)
  const code = Number.parseInt(text, 16)
  if (!/^[0-9a-fA-F]+$/.test(text) || text.length < digits) throw regexError(`incomplete escape \\${letter}${text}`, at)
  if (code > 0x10ffff) throw regexError(`bad escape \\${letter}${text}`, at)
  cursor.at += 2 + digits
  return code
}

/** The set of a character's variants when case does not count, or null where it has none. */
export function setOfCharacter(code: number): CharacterSet | null {
  const variants = caseVariants(code)
  if (variants.length === 1) return null
  return characterSet(String.fromCodePoint(code), (other) => variants.includes(other))
}
