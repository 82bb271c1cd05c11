import type { Reader } from './json5-reader.ts'
import { isLineEnd, unexpected } from './json5-reader.ts'
import { afterHexDigits, isDigit, unitAt } from './scan.ts'

/** Reads a string in the quotes that stand at the reader's place. Raw control characters are fine, line ends are not. */
export function readString(reader: Reader): string {
  const { text } = reader
  const quote = text.charCodeAt(reader.at)
  let read = ''
  let from = reader.at + 1
  for (let at = from; ;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      reader.at = at + 1
      return read + text.slice(from, at)
    }
    if (code === BACKSLASH) {
      read += text.slice(from, at)
      reader.at = at
      read += readEscape(reader)
      at = from = reader.at
    } else if (at >= text.length || isLineEnd(code)) {
      throw unexpected(reader, at)
    } else at++
  }
}

const BACKSLASH = 0x5c

function readEscape(reader: Reader): string {
  const { text } = reader
  const at = reader.at + 1
  const char = text[at]
  if (char === undefined) throw unexpected(reader, at)
  if (char === 'x') return readHexEscape(reader, 2)
  if (char === 'u') return readHexEscape(reader, 4)
  if (isLineEnd(text.charCodeAt(at))) {
    reader.at = text.startsWith('\r\n', at) ? at + 2 : at + 1
    return ''
  }
  if (char === '0' && isDigit(text.charCodeAt(at + 1))) throw unexpected(reader, at + 1)
  if (char >= '1' && char <= '9') throw unexpected(reader, at)
  reader.at = at + 1
  return ESCAPES.get(char) ?? char
}

function readHexEscape(reader: Reader, count: 2 | 4): string {
  const { text } = reader
  const from = reader.at + 2
  const end = afterHexDigits(text, from, count)
  if (end < from + count) throw unexpected(reader, end)
  reader.at = end
  return count === 4 ? unitAt(text, from) : String.fromCharCode(Number.parseInt(text.slice(from, end), 16))
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['0', '\0'],
])
