import { isSpace, lstrip, rstrip } from '@callspec/python'

/** `text.split()`: parts between white space, at most `most` cuts. */
export function splitWords(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = lstrip(text)
  while (rest !== '' && parts.length !== most) {
    const end = endOfWord(rest)
    parts.push(rest.slice(0, end))
    rest = lstrip(rest.slice(end))
  }
  if (rest !== '') parts.push(rest)
  return parts
}

/** `text.rsplit()`: the same from the end. */
export function rsplitWords(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = rstrip(text)
  while (rest !== '' && parts.length !== most) {
    const start = startOfWord(rest)
    parts.push(rest.slice(start))
    rest = rstrip(rest.slice(0, start))
  }
  if (rest !== '') parts.push(rest)
  return parts.reverse()
}

function endOfWord(text: string): number {
  let at = 0
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  return at
}

function startOfWord(text: string): number {
  let at = text.length
  while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** `text.split(separator, most)`; a negative `most` is no limit. */
export function splitAt(text: string, separator: string, most: number): string[] {
  if (most < 0) return text.split(separator)
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(separator); at >= 0 && parts.length < most; at = text.indexOf(separator, from)) {
    parts.push(text.slice(from, at))
    from = at + separator.length
  }
  return [...parts, text.slice(from)]
}

/** `text.rsplit(separator, most)`. */
export function rsplitAt(text: string, separator: string, most: number): string[] {
  const parts: string[] = []
  let end = text.length
  while (most < 0 || parts.length < most) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length)
    if (at < 0) break
    parts.push(text.slice(at + separator.length, end))
    end = at
  }
  return [...parts, text.slice(0, end)].reverse()
}

const LINE = /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|$)/g

/** `text.splitlines(keepends)`: Python knows ten ends of a line, and the last one starts no new line. */
export function splitLines(text: string, keepsEnds: boolean): string[] {
  const lines: string[] = []
  for (const match of text.matchAll(LINE)) {
    if (match[0] === '') continue
    lines.push(keepsEnds ? match[0] : match[0].slice(0, match[0].length - (match[1] ?? '').length))
  }
  return lines
}
