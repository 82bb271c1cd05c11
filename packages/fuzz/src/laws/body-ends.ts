/** Where a body of calls may begin, and what it has to hold. */
interface Body {
  readonly from: number
  /** It begins no further than here. */
  readonly limit: number
  /** The name of a call in it. */
  readonly name: string
}

/** A text with more bodies than this repeats itself, and one of the first will do. */
const MAX_BODIES = 12

/** Where bodies end that begin there: values between brackets, in JSON or Python, in which the name stands. */
export function bodyEnds(text: string, { from, limit, name }: Body): readonly number[] {
  const ends: number[] = []
  const brackets = /[[{]|[\p{L}_][\p{L}\p{N}_.]*\s*\(/gu
  brackets.lastIndex = from
  for (let match = brackets.exec(text); match !== null && match.index <= limit; match = brackets.exec(text)) {
    const end = closeOf(text, match.index)
    if (end !== null && holds(text.slice(match.index, end), name)) ends.push(end)
    if (ends.length >= MAX_BODIES) break
    brackets.lastIndex = match.index + 1
  }
  return ends
}

/** Behind the bracket that closes the first one; null where none does. Strings stand between quotes of either kind. */
function closeOf(text: string, from: number): number | null {
  const signs = /"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|[[({]|[\])}]/g
  signs.lastIndex = from
  let depth = 0
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [sign] = match
    if ('[({'.includes(sign)) depth += 1
    else if ('])}'.includes(sign)) depth -= 1
    if (depth === 0 && sign.length === 1) return signs.lastIndex
  }
  return null
}

/** A name may be written with escapes. */
function holds(body: string, name: string): boolean {
  if (body.includes(name)) return true
  try {
    return JSON.stringify(JSON.parse(body)).includes(JSON.stringify(name).slice(1, -1))
  } catch {
    return false
  }
}
