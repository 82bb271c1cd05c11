/** What one rendering may cost. A program that renders templates of strangers sets what it can bear. */
export interface Limits {
  /**
   * Iterations, calls and items visited, each with one step more per 64 characters that it makes; an item that is written as
   * a part of a list, tuple or dict is 16 steps.
   */
  readonly steps: number
  /** Macros within macros. Python gives up near 190; so does this. */
  readonly depth: number
  /**
   * UTF-16 units of the rendered text, and of any text on the way; 64 for an item of a list. All that one rendering makes
   * may be four times as much.
   */
  readonly output: number
  /** Of wall time. */
  readonly milliseconds: number
}

/** Enough for a conversation of a hundred thousand messages, and for a prompt of four million tokens. */
export const DEFAULT_LIMITS: Limits = { steps: 50_000_000, depth: 190, output: 16 * 2 ** 20, milliseconds: 5_000 }
