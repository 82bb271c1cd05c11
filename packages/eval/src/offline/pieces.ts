/** A record beyond this many UTF-16 units is no answer of a model, and may be a whole file without a line feed. */
export const MAX_RECORD_UNITS = 64_000_000

/** A text that arrives in pieces; joining them once keeps it linear. */
export interface Pieces {
  add(piece: string): void
  /** The text so far, and begins anew. Of one beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
  take(): string
}

/** See `Pieces`. */
export function createPieces(): Pieces {
  let parts: string[] = []
  let units = 0
  return {
    add: (piece) => {
      if (units > MAX_RECORD_UNITS) return
      parts.push(piece)
      units += piece.length
    },
    take: () => {
      const text = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
      parts = []
      units = 0
      return text
    },
  }
}
