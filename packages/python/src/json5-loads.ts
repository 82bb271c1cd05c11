import { JSON_WORDS } from './json-words.ts'
import { Raise } from './raise.ts'
import { MAX_DEPTH, tooDeep } from './depth.ts'
import { readIdentifier, stepIdentifier } from './json5-identifier.ts'
import { readNumber } from './json5-number.ts'
import type { Reader } from './json5-reader.ts'
import { skipSpace, unexpected } from './json5-reader.ts'
import { readString } from './json5-string.ts'
import type { PyDict, PyList, PyValue } from './value.ts'

/**
 * The value of a JSON5 text, as the reference's json5 library (0.13) reads it, in Python's number model (spec §2.4).
 *
 * Raises ValueError with the library's text (`<string>:1 Unexpected "}" at column 3`) and RecursionError below 995 levels.
 * Linear.
 */
export function loadsJson5(text: string): PyValue {
  if (text === '') throw new Raise('ValueError', 'Empty strings are not legal JSON5')
  const reader: Reader = { text, at: 0, depth: 0, furthest: 0, badNumber: null }
  skipSpace(reader)
  const value = readValue(reader)
  skipSpace(reader)
  if (reader.at < text.length) throw unexpected(reader, reader.at)
  // as in the reference: the text is read completely before the first number is converted.
  if (reader.badNumber !== null) throw reader.badNumber
  return value
}

function readValue(reader: Reader): PyValue {
  const char = reader.text[reader.at]
  switch (char) {
    case '{':
      return readDict(reader)
    case '[':
      return readList(reader)
    case '"':
    case "'":
      return readString(reader)
    case 'n':
    case 't':
    case 'f':
    case 'N':
    case 'I': {
      const [word, value] = JSON_WORDS[char]
      return readWord(reader, word, value)
    }
    case '+':
      reader.at++
      return readUnsigned(reader)
    case '-':
      reader.at++
      return readNegative(reader)
    default:
      return readNumber(reader, '')
  }
}

function readUnsigned(reader: Reader): bigint | number {
  const char = reader.text[reader.at]
  if (char === 'N') return readWord(reader, 'NaN', Number.NaN)
  if (char === 'I') return readWord(reader, 'Infinity', Number.POSITIVE_INFINITY)
  return readNumber(reader, '')
}

function readNegative(reader: Reader): bigint | number {
  const char = reader.text[reader.at]
  return char === 'N' || char === 'I' ? -readUnsigned(reader) : readNumber(reader, '-')
}

function readWord<T>(reader: Reader, word: string, value: T): T {
  for (let i = 0; i < word.length; i++) {
    if (reader.text[reader.at + i] !== word[i]) throw unexpected(reader, reader.at + i)
  }
  reader.at += word.length
  return value
}

function readList(reader: Reader): PyList {
  const list: PyValue[] = []
  enter(reader)
  while (reader.text[reader.at] !== ']') {
    list.push(readValue(reader))
    afterItem(reader, ']')
  }
  leave(reader)
  return list
}

function readDict(reader: Reader): PyDict {
  const dict = new Map<string, PyValue>()
  enter(reader)
  while (reader.text[reader.at] !== '}') {
    const key = readKey(reader)
    skipSpace(reader)
    if (reader.text[reader.at] !== ':') throw unexpected(reader, reader.at)
    reader.at++
    skipSpace(reader)
    dict.set(key, readValue(reader))
    afterItem(reader, '}')
  }
  leave(reader)
  return dict
}

function readKey(reader: Reader): string {
  const char = reader.text[reader.at]
  if (char === '"' || char === "'") return readString(reader)
  if (stepIdentifier(reader, reader.at, 'first') === null) throw unexpected(reader, reader.at)
  return readIdentifier(reader)
}

/** Moves to the next item, or to the closing bracket; a comma before that is welcome. */
function afterItem(reader: Reader, close: ']' | '}'): void {
  skipSpace(reader)
  const char = reader.text[reader.at]
  if (char !== ',' && char !== close) throw unexpected(reader, reader.at)
  if (char === close) return
  reader.at++
  skipSpace(reader)
}

function enter(reader: Reader): void {
  if (reader.depth >= MAX_DEPTH) throw tooDeep('')
  reader.depth++
  reader.at++
  skipSpace(reader)
}

function leave(reader: Reader): void {
  reader.depth--
  reader.at++
}
