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
 * surrogate pair stands above U+FFFF.
 */
export function pyCompare(left: string, right: string): number {
  if (left === right) return 0
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return left < right ? -1 : 1
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
