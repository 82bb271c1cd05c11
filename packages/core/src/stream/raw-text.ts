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
  const chunks: string[] = []
  let first = 0
  let start = 0
  return {
    push: (chunk) => {
      chunks.push(chunk)
    },
    slice: (from, to) => {
      let text = ''
      let at = start
      for (let index = first; index < chunks.length && at < to; index++) {
        const chunk = chunks[index] ?? ''
        const end = at + chunk.length
        if (end <= from) {
          first = index + 1
          start = end
        } else text += chunk.slice(Math.max(0, from - at), to - at)
        at = end
      }
      return text
    },
  }
}
