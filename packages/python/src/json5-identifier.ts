import type { Reader } from './json5-reader.ts'
import { noteFailure } from './json5-reader.ts'
import { isPrintable } from './printable.ts'
import { afterHexDigits, isDigit, unitAt } from './scan.ts'

/** A character of an identifier, and the offset after it. */
export interface Step {
  readonly char: string
  readonly end: number
}

/** Reads an unquoted key whose first character has been seen to fit. */
export function readIdentifier(reader: Reader): string {
  let name = ''
  let step = stepIdentifier(reader, reader.at, 'first')
  while (step !== null) {
    name += step.char
    reader.at = step.end
    step = stepIdentifier(reader, reader.at, 'later')
  }
  return name
}

/**
 * The identifier character at `at`, or null. A failed attempt at anything but an ASCII letter or digit has consumed the
 * character before it could tell, so the failure is noted behind it; in an escape, at the unit that does not fit.
 */
export function stepIdentifier(reader: Reader, at: number, place: 'first' | 'later'): Step | null {
  const { text } = reader
  const code = text.codePointAt(at)
  if (code === undefined) return null
  if (code === BACKSLASH) return stepEscape(reader, at)
  const char = String.fromCodePoint(code)
  const end = at + char.length
  if (isAsciiStart(code) || (place === 'later' && isDigit(code))) return { char, end }
  if (code > 0x7f && isLetter(char, place) && (isPrintable(code) || isJoiner(code))) {
    return { char, end }
  }
  noteFailure(reader, end)
  return null
}

/** `\u0041`. The reference does not ask whether the spelled character may stand there. */
function stepEscape(reader: Reader, at: number): Step | null {
  if (reader.text[at + 1] !== 'u') {
    noteFailure(reader, at + 1)
    return null
  }
  const end = afterHexDigits(reader.text, at + 2, 4)
  if (end === at + 6) return { char: unitAt(reader.text, at + 2), end }
  noteFailure(reader, end)
  return null
}

const BACKSLASH = 0x5c

// These classes follow the engine's Unicode; `isPrintable` takes back what Python's Unicode does not know.
// They stand in a function because an engine takes a millisecond to make them.
function isLetter(char: string, place: 'first' | 'later'): boolean {
  return place === 'first'
    ? /^[\p{L}\p{Nl}]$/u.test(char)
    : /^[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\u200c\u200d]$/u.test(char)
}

function isAsciiStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x24
}

/** ZWNJ and ZWJ: format characters, not printable, and yet welcome inside an identifier. */
function isJoiner(code: number): boolean {
  return code === 0x200c || code === 0x200d
}
