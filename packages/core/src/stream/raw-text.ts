/** A reply as it came, of which pieces are taken in their order. */
export interface RawText {
  readonly push: (chunk: string) => void
  /** The text between two offsets. `from` never decreases, so that all slices together cost as much as the text. */
  readonly slice: (from: number, to: number) => string
}

/**
 * Keeps chunks apart. Whoever joins them and cuts the joined text after each copies all of it each time: that is
 * quadratic, although no character is looked at.
 */
export function rawText(): RawText {
  let chunks: string[] = []
  let first = 0
  let start = 0
  const passTo = (from: number): void => {
    for (let chunk = chunks[first]; chunk !== undefined && start + chunk.length <= from; chunk = chunks[first]) {
      start += chunk.length
      first++
    }
    if (first < MANY || 2 * first < chunks.length) return
    chunks = chunks.slice(first)
    first = 0
  }
  return {
    push: (chunk) => {
      chunks.push(chunk)
    },
    slice: (from, to) => {
      passTo(from)
      let text = ''
      let at = start
      for (let index = first; at < to; index++) {
        const chunk = chunks[index]
        if (chunk === undefined) break
        const end = at + chunk.length
        text += at >= from && end <= to ? chunk : chunk.slice(Math.max(0, from - at), to - at)
        at = end
      }
      return text
    },
  }
}

/** From so many chunks on that will not be asked for again, they are let go of. */
const MANY = 64
