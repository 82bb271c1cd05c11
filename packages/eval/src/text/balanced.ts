/** JSON nested deeper than this is not read: readers of other people recurse. */
export const MAX_DEPTH = 100

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
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
      continue
    }
    if (character === '"') inString = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
      if (depth < 0) return null
    }
  }
  return null
}

/** Whether brackets nest deeper than `MAX_DEPTH`, strings not counted. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  // A quote out of place hides brackets from the count above, but not from a reader.
  return depth > MAX_DEPTH || longestOpeningRun(text) > MAX_DEPTH
}

function longestOpeningRun(text: string): number {
  let longest = 0
  let run = 0
  for (const character of text) {
    if (character === '{' || character === '[') run += 1
    else if (character === '}' || character === ']') run = 0
    longest = Math.max(longest, run)
  }
  return longest
}
