import type { StreamParser } from '../format.ts'

/** The end of a reply that comes in chunks, for whoever takes pieces of it soon after they came. */
export interface RecentText {
  /** Adds a chunk, which the parser was given. */
  readonly push: (chunk: string, parser: StreamParser) => void
  /**
   * Takes the text between two offsets of the reply; `from` never decreases. The parser is asked for what came too long ago.
   * Null where it does not tell.
   */
  readonly take: (from: number, to: number) => string | null
}

/**
 * Keeps what was not taken, but not much: a call that settles at its end would be kept for nothing, chunk by chunk, and the
 * parser has it anyway.
 */
export function recentText(): RecentText {
  /** What is kept, from `start` on; more may have come since. */
  let text = ''
  let start = 0
  /** How long the reply is. */
  let total = 0
  let asked: StreamParser | null = null
  return {
    push: (chunk, parser) => {
      asked = parser
      total += chunk.length
      if (text.length <= LONG) text += chunk
    },
    take: (from, to) => {
      const [kept, at] = [text, start]
      text = ''
      start = total
      if (from === at && to === total && kept.length === total - at) return kept
      if (from < at || to > at + kept.length) return asked?.settledText?.(from, to) ?? null
      if (kept.length === total - at) {
        text = kept.slice(to - at)
        start = to
      }
      return kept.slice(from - at, to - at)
    },
  }
}

/** In UTF-16 units. Words and white space between them are shorter, and joining a few chunks costs little. */
const LONG = 64
