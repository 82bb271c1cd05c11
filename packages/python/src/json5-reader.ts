import { Raise } from './raise.ts'
import { pyIndex } from './text.ts'

/** Where a JSON5 text has been read to. Offsets are UTF-16. */
export interface Reader {
  readonly text: string
  /** Offset of the next unit to be read. */
  at: number
  depth: number
  /** How far a look ahead has come before it failed; an error is reported there if it comes earlier. */
  furthest: number
  /** The first number that is well-formed JSON5 but that Python's int() or float() rejects. */
  badNumber: Raise | null
}

/**
 * The error of meeting something that fits nowhere at `at`.
 *
 * as in the reference: json5 is a backtracking parser that reports the furthest place where any attempt failed. Some
 * attempts look one character further than they consume (`noteFailure`), so `{,}` complains about the brace.
 */
export function unexpected(reader: Reader, at: number): Raise {
  const { text } = reader
  const place = Math.max(reader.furthest, at)
  const lineStart = place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1
  let line = 1
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < place; feed = text.indexOf('\n', feed + 1)) line++
  const column = pyIndex(text, place) - pyIndex(text, lineStart) + 1
  const code = text.codePointAt(place)
  const found = code === undefined ? 'end of input' : `"${String.fromCodePoint(code)}"`
  return new Raise('ValueError', `<string>:${line} Unexpected ${found} at column ${column}`)
}

/** Remembers that an attempt failed at `at`, though reading goes on elsewhere. */
export function noteFailure(reader: Reader, at: number): void {
  if (at > reader.furthest) reader.furthest = at
}

/** Moves past white space and comments. A slash that begins no comment, or an open comment, is an error. */
export function skipSpace(reader: Reader): void {
  const { text } = reader
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (isSpace(code)) reader.at++
    else if (code === SLASH) skipComment(reader)
    else return
  }
}

/** Whether the unit ends a line for JSON5. */
export function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029
}

const SLASH = 0x2f

function skipComment(reader: Reader): void {
  const { text, at } = reader
  const second = text[at + 1]
  if (second === '/') {
    let end = at + 2
    while (end < text.length && !isLineEnd(text.charCodeAt(end))) end++
    reader.at = end
    return
  }
  if (second !== '*') throw unexpected(reader, at + 1)
  const close = text.indexOf('*/', at + 2)
  if (close < 0) throw unexpected(reader, text.length)
  reader.at = close + 2
}

/** Unlike Python's strip, JSON5 knows U+FEFF and does not know U+0085 and U+001C to U+001F (spec §2.4). */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0xa0
  if (code >= 0x2000 && code <= 0x200a) return true
  return SPACES_ABOVE.has(code)
}

const SPACES_ABOVE: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff])
