/** What stands between a head and the text that closes it. */
export interface CutOut {
  /** The head, with the `g` flag. */
  readonly head: RegExp
  readonly close: string
  /** The least number of characters between them. */
  readonly atLeast?: number
  /** Whether a line break may stand between them. */
  readonly overLines?: boolean
}

/**
 * The first text between a match of `head` and the next `close`; null without one. What a lazy regular expression would find,
 * in linear time: a head without its end must not be tried again and again.
 */
export function cutOut(text: string, { head, close, atLeast = 0, overLines = false }: CutOut): string | null {
  let closeAt = -1
  for (const match of text.matchAll(head)) {
    const start = match.index + match[0].length
    const from = start + atLeast
    if (closeAt < from) closeAt = text.indexOf(close, from)
    if (closeAt < 0) return null
    const inner = text.slice(start, closeAt)
    if (overLines || !inner.includes('\n')) return inner
  }
  return null
}

/** Every text between `open` and the next `close` after it. */
export function allBetween(text: string, open: string, close: string): readonly string[] {
  const found: string[] = []
  let at = text.indexOf(open)
  while (at >= 0) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    found.push(text.slice(at + open.length, end))
    at = text.indexOf(open, end + close.length)
  }
  return found
}
