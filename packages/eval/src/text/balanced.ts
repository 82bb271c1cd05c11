/**
 * The end of the JSON object or list that begins at `start`: after its last bracket, or null when it is never closed.
 * Brackets inside double-quoted strings do not count. Linear.
 *
 * @param limit no character from here on is looked at
 */
export function balancedEnd(text: string, start: number, limit: number = text.length): number | null {
  let depth = 0
  let inString = false
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 0) return at + 1
      if (depth < 0) return null
    }
  }
  return null
}

// Codes instead of characters: this loop sees every character of every call.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
