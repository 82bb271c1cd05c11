/** A text that arrives in pieces. */
export interface Pieces {
  add(piece: string): void
  text(): string
  /** UTF-16 units so far. */
  units(): number
  /** Whether every piece repeated all text before it, so that the last one is the whole text. */
  isCumulative(): boolean
}

/** A piece of this length is not repeated by chance at the beginning of the next. */
const LONG_LINE_PIECES = 8
/** This many pieces in a row do not begin with the piece before by chance. */
const STEPS = 2

/**
 * Joins the pieces of a stream. Some servers send the whole text so far in every piece: then the pieces are not joined. This must hold for
 * every piece, so deltas that happen to repeat each other are still joined.
 */
export function createPieces(): Pieces {
  let parts: string[] = []
  let length = 0
  // While every piece begins with the one before, only the last is kept: such a stream is quadratic already.
  let grown: Grown | null = { last: '', lengths: [], steps: 0, repeats: 0 }
  const grow = (piece: string): boolean => {
    if (grown === null || !piece.startsWith(grown.last)) return false
    if (piece.length === grown.last.length) grown.repeats += 1
    else if (grown.last !== '') grown.steps += 1
    grown.last = piece
    grown.lengths.push(piece.length)
    length += piece.length
    return true
  }
  return {
    add: (piece) => {
      if (piece === '' || grow(piece)) return
      if (grown !== null) {
        const { last, lengths } = grown
        parts = lengths.map((size) => last.slice(0, size))
        grown = null
      }
      parts.push(piece)
      length += piece.length
    },
    text: () => {
      if (grown === null) return parts.join('')
      const { last, lengths } = grown
      return isSure(grown) ? last : lengths.map((size) => last.slice(0, size)).join('')
    },
    units: () => (grown !== null && isSure(grown) ? grown.last.length : length),
    isCumulative: () => grown !== null && isSure(grown),
  }
}

/** Pieces each of which began with the one before. */
interface Grown {
  last: string
  readonly lengths: number[]
  /** How many pieces were longer than the one before, and how many the same. */
  steps: number
  repeats: number
}

/** A model that repeats itself sends equal pieces, too. */
function isSure({ last, lengths, steps, repeats }: Grown): boolean {
  if (steps < STEPS) return steps === 1 && repeats === 0 && (lengths[0] ?? 0) >= LONG_LINE_PIECES
  return steps > repeats && last.length >= LONG_LINE_PIECES
}
