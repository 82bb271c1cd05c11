const OPEN = '<think>'
const CLOSE = '</think>'

/** A reply with its thinking apart: what is thought is neither said nor called. */
export interface SplitThought {
  readonly thought: string
  /** Everything else. */
  readonly visible: string
  readonly isUnclosed: boolean
}

/** Splits at the last `</think>`, as the reference does; an unclosed `<think>` takes all that follows. */
export function splitThought(text: string): SplitThought {
  const close = text.lastIndexOf(CLOSE)
  const rest = close < 0 ? text : text.slice(close + CLOSE.length)
  const thought = close < 0 ? '' : text.slice(0, close).replaceAll(OPEN, () => '')
  const open = rest.indexOf(OPEN)
  if (open < 0) return { thought, visible: rest, isUnclosed: false }
  return { thought: thought + rest.slice(open + OPEN.length), visible: rest.slice(0, open), isUnclosed: true }
}
