/** What one rendering may cost. Whoever renders templates of strangers sets what they can bear. */
export interface Limits {
  /** Iterations, calls and items visited, each with one step more per 64 characters that it makes. */
  readonly steps: number
  /** Macros within macros. Python gives up near 190; so does this. */
  readonly depth: number
  /** UTF-16 units of the rendered text, and of any text on the way. */
  readonly output: number
  /** Of wall time. */
  readonly milliseconds: number
}

/** Enough for a conversation of a hundred thousand messages. */
export const DEFAULT_LIMITS: Limits = { steps: 50_000_000, depth: 190, output: 256 * 2 ** 20, milliseconds: 30_000 }
