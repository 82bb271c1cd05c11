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
