import { caseVariants, characterSet, posixClass } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import { readCharacterEscape, readClass } from './escape.ts'
import { regexError } from './regex-cursor.ts'
import type { RegexCursor } from './regex-cursor.ts'

/** A part of a set: a range of code points, or another set. */
type SetItem = { readonly low: number; readonly high: number } | CharacterSet

/** Reads a set such as `[^<\n]`. In version 0 `[`, `&&` and `||` inside of a set are characters. */
export function readSet(cursor: RegexCursor): CharacterSet {
  const from = cursor.at
  const { source } = cursor
  cursor.at++
  const isNegated = source[cursor.at] === '^'
  if (isNegated) cursor.at++
  const items: SetItem[] = []
  for (let isFirst = true; ; isFirst = false) {
    const char = source[cursor.at]
    if (char === undefined) throw regexError('unterminated character set', cursor.at)
    if (char === ']' && !isFirst) break
    items.push(readItem(cursor))
  }
  cursor.at++
  return setOf(items, { source: source.slice(from, cursor.at), isNegated, isFolded: cursor.flags.isFolded })
}

function setOf(
  items: readonly SetItem[],
  shape: { readonly source: string; readonly isNegated: boolean; readonly isFolded: boolean },
): CharacterSet {
  const holds = (code: number): boolean =>
    items.some((item) => ('has' in item ? item.has(code) : code >= item.low && code <= item.high))
  const test = shape.isFolded ? (code: number): boolean => caseVariants(code).some(holds) : holds
  return characterSet(shape.source, (code) => test(code) !== shape.isNegated)
}

function readItem(cursor: RegexCursor): SetItem {
  const { source } = cursor
  const at = cursor.at
  const posix = /^\[:(\^?)([A-Za-z]+):\]/.exec(source.slice(at, at + 30))
  const named = posix === null ? undefined : posixClass((posix[2] ?? '').toLowerCase())
  if (posix !== null && named !== undefined) {
    cursor.at += posix[0].length
    return posix[1] === '^' ? characterSet(posix[0], (code) => !named.has(code)) : named
  }
  const low = readMember(cursor)
  if (typeof low !== 'number') return low
  if (source[cursor.at] !== '-' || source[cursor.at + 1] === ']' || cursor.at + 1 >= source.length)
    return { low, high: low }
  const dash = cursor.at
  cursor.at++
  const high = readMember(cursor)
  if (typeof high !== 'number') {
    // `[a-\w]` is the characters `a` and `-`, and the class.
    return characterSet(source.slice(at, cursor.at), (code) => code === low || code === 0x2d || high.has(code))
  }
  if (high < low) throw regexError('bad character range', dash)
  return { low, high }
}

function readMember(cursor: RegexCursor): number | CharacterSet {
  const { source, at } = cursor
  if (source[at] !== '\\') {
    const code = source.codePointAt(at) ?? 0
    cursor.at += code > 0xffff ? 2 : 1
    return code
  }
  if (source[at + 1] === 'b') {
    cursor.at += 2
    return 8
  }
  return readClass(cursor) ?? readCharacterEscape(cursor)
}
