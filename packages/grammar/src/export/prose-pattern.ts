import { complement, normalizeRanges } from '../expression.ts'
import type { ReplySpelling } from './reply-spelling.ts'

/** A pattern for the white space before a reply. */
export const WHITE_SPACE: string = String.raw`[ \t\r\n]{0,20}`

/**
 * A pattern for prose up to its first character that is not white space, where prose could begin like a call: that character begins no call
 * and no mark, or the one behind it does not go on with the mark. Null where prose may begin in any way.
 */
export function firstOfProse({ notFirst, excluded, stem }: ReplySpelling): string | null {
  if (notFirst === '') return null
  const marks = [...excluded, ...(stem === null ? [] : [stem])]
  const firsts = [...new Set(marks.map((mark) => mark.charAt(0)))]
  const seconds = marks.map((mark) => mark.charAt(1))
  const plain = noneOf([' ', '\t', '\r', '\n', ...notFirst, ...firsts])
  const long = firsts.filter((first) => !marks.includes(first))
  const marked = long.map((first) => escaped(first) + noneOf([...new Set([...seconds, ...firsts])]))
  return WHITE_SPACE + (marked.length === 0 ? plain : `(${[plain, ...marked].join('|')})`)
}

/** The pattern of one other character. XGrammar before 0.2.8 takes any character beyond ASCII for `[^…]`. */
function noneOf(letters: readonly string[]): string {
  if (letters.every((letter) => letter < '\u0080')) return `[^${letters.map(escaped).join('')}]`
  const points = letters.map((letter) => letter.charCodeAt(0))
  const others = complement(normalizeRanges(points.map((point) => [point, point])))
  return `[${others
    .map(([first, last]) => (first === last ? codePoint(first) : `${codePoint(first)}-${codePoint(last)}`))
    .join('')}]`
}

function codePoint(value: number): string {
  if (value > 0xffff) return String.raw`\u{${value.toString(16)}}`
  if (value > 0x7e) return String.raw`\u${value.toString(16).padStart(4, '0')}`
  return value < 0x21 ? String.raw`\x${value.toString(16).padStart(2, '0')}` : escaped(String.fromCharCode(value))
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': String.raw`\t`, '\r': String.raw`\r`, '\n': String.raw`\n` }

function escaped(letter: string): string {
  return ESCAPES[letter] ?? (/[\\^$.*+?()[\]{}|/-]/.test(letter) ? `\\${letter}` : letter)
}
