/** Number of code points, as Python's `len(text)`; a lone surrogate counts as one. */
export function pyLength(text: string): number {
  return text.length - pairsIn(text, 0, text.length)
}

/** `text[start:end]` of Python: code points, negative indexes count from the end, out of range is cut off. */
export function pySlice(text: string, start: number, end?: number): string {
  if (!SURROGATE.test(text)) return text.slice(start, end)
  const from = offsetOf(text, start)
  const to = end === undefined ? text.length : offsetOf(text, end)
  return text.slice(from, Math.max(from, to))
}

/** The code point index of a UTF-16 offset. An offset inside a surrogate pair counts the pair. */
export function pyIndex(text: string, offset: number): number {
  return offset - pairsIn(text, 0, offset)
}

/** `text.find(word)` of Python, as a UTF-16 offset: half a surrogate pair is not found in a whole one. */
export function pyFind(text: string, word: string): number {
  let at = text.indexOf(word)
  while (at >= 0 && (isInsidePair(text, at) || isInsidePair(text, at + word.length))) at = text.indexOf(word, at + 1)
  return at
}

/**
 * Less than, equal to, or greater than 0, as Python orders texts: by code points, which is not the order of UTF-16 units, for a
 * surrogate pair sorts above U+FFFF.
 */
export function pyCompare(left: string, right: string): number {
  let at = 0
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  // Where they part inside of a pair, the half that they share is a whole character of the other text.
  const from = isInsidePair(left, at) || isInsidePair(right, at) ? at - 1 : at
  return (left.codePointAt(from) ?? -1) - (right.codePointAt(from) ?? -1)
}

const SURROGATE = /[\ud800-\udfff]/

function pairsIn(text: string, from: number, to: number): number {
  let pairs = 0
  for (let at = from; at < to; at++) if (isPairAt(text, at)) pairs++
  return pairs
}

/** The UTF-16 offset of a code point index, walked from the end when it is negative. */
function offsetOf(text: string, index: number): number {
  let at = index < 0 ? text.length : 0
  for (let left = index; left > 0 && at < text.length; left--) at += isPairAt(text, at) ? 2 : 1
  for (let left = index; left < 0 && at > 0; left++) at -= at > 1 && isPairAt(text, at - 2) ? 2 : 1
  return at
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && isPairAt(text, at - 1)
}

function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}

/**
 * The text without white space at both ends, as `str.strip()`; with `chars`, without those code points instead.
 *
 * Not `trim()`: Python also strips U+001C to U+001F and U+0085, and keeps U+FEFF (spec §2.1). Linear.
 */
export function strip(text: string, chars?: string | null): string {
  return lstrip(rstrip(text, chars), chars)
}

/** The text without white space (or without the code points of `chars`) at its start, as `str.lstrip`. */
export function lstrip(text: string, chars?: string | null): string {
  if (typeof chars === 'string') return text.slice(leadingOf(text, chars))
  let at = 0
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return text.slice(at)
}

/** The text without white space (or without the code points of `chars`) at its end, as `str.rstrip`. */
export function rstrip(text: string, chars?: string | null): string {
  if (typeof chars === 'string') return text.slice(0, trailingOf(text, chars))
  let end = text.length
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

/** Whether a UTF-16 unit is white space for Python (spec §2.1); no code point above U+FFFF is. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code >= 0x1c
  if (code < 0x1680) return code === 0x85 || code === 0xa0
  if (code > 0x200a) return code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000
  return code >= 0x2000 || code === 0x1680
}

/** Whether nothing but white space is in the text; true for the empty text. Stops at the first other character. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false
  return true
}

function leadingOf(text: string, chars: string): number {
  const unwanted = new Set(chars)
  let at = 0
  while (at < text.length) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (!unwanted.has(char)) return at
    at += char.length
  }
  return at
}

function trailingOf(text: string, chars: string): number {
  const unwanted = new Set(chars)
  let end = text.length
  while (end > 0) {
    const pair = end > 1 ? (text.codePointAt(end - 2) ?? 0) : 0
    const char = pair > 0xffff ? text.slice(end - 2, end) : text.slice(end - 1, end)
    if (!unwanted.has(char)) return end
    end -= char.length
  }
  return end
}

/**
 * Text of UTF-8 bytes, malformed sequences replaced by U+FFFD as Python's `errors='replace'` does: one for every
 * maximal part that could have begun a character. Written out because `TextDecoder` is not part of ECMAScript.
 */
export function decodeUtf8(bytes: readonly number[]): string {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    const got = validLength(bytes, at, length)
    text += got === length && length > 0 ? String.fromCodePoint(codePoint(bytes, at, length)) : '\ufffd'
    at += Math.max(got, 1)
  }
  return text
}

/** How many of the `length` bytes of a character that begins at `at` fit; the second one has a range of its own. */
function validLength(bytes: readonly number[], at: number, length: number): number {
  let got = Math.min(length, 1)
  while (got < length) {
    const byte = bytes[at + got] ?? 0
    const [low, high] = got === 1 ? secondByteRange(bytes[at] ?? 0) : [0x80, 0xbf]
    if (byte < low || byte > high) return got
    got++
  }
  return got
}

/** No overlong forms (E0, F0), no surrogates (ED), nothing above U+10FFFF (F4). */
function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf]
  if (lead === 0xed) return [0x80, 0x9f]
  if (lead === 0xf0) return [0x90, 0xbf]
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}

function codePoint(bytes: readonly number[], at: number, length: number): number {
  let code = length === 1 ? (bytes[at] ?? 0) : (bytes[at] ?? 0) & (0x7f >> length)
  for (let i = 1; i < length; i++) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f)
  return code
}

/**
 * Whether a CJK Unified Ideograph (U+4E00 to U+9FFF, nothing else) occurs in the text (spec §2.7). Kana, Hangul,
 * full-width punctuation and the extension blocks do not count, as in the reference.
 */
export function hasChinese(text: string): boolean {
  return /[\u4e00-\u9fff]/.test(text)
}

/** The offset after the decimal digits that begin at `at`. A loop, because a regular expression keeps a trace of each. */
export function afterDigits(text: string, at: number): number {
  let end = at
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** The offset after at most `count` hexadecimal digits that begin at `at`. */
export function afterHexDigits(text: string, at: number, count: number): number {
  let end = at
  while (end < at + count && isHexDigit(text.charCodeAt(end))) end++
  return end
}

/** Whether the UTF-16 unit is an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

/** The UTF-16 unit that the four hexadecimal digits at `at` spell. */
export function unitAt(text: string, at: number): string {
  return String.fromCharCode(Number.parseInt(text.slice(at, at + 4), 16))
}

/** The white space of JSON: space, line feed, carriage return, tab. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** The offset after the white space of JSON at `from`; `end` at most. */
export function afterSpace(text: string, from: number = 0, end: number = text.length): number {
  let at = from
  while (at < end && isJsonSpace(text.charCodeAt(at))) at++
  return at
}

/** The offset of the white space of JSON before `end`; `from` at least. */
export function beforeSpace(text: string, end: number = text.length, from: number = 0): number {
  let at = end
  while (at > from && isJsonSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** The offset before half a surrogate pair at the end of the text, whose other half may come; else `end`. */
export function wholePairs(text: string, end: number = text.length): number {
  return end > 0 && end === text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}
