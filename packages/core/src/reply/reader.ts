import type { ReplyEvent } from './event.ts'
import type { Reply } from './reply.ts'

/** Reads a reply while it arrives. */
export interface ReplyReader {
  /**
   * Takes the next chunk, which may be cut anywhere, also inside a surrogate pair, and says what has become certain.
   * Amortised O(chunk).
   *
   * @throws InputError for a chunk that is no text
   */
  readonly push: (chunk: string) => readonly ReplyEvent[]
  /** Says the rest. Nothing may follow. */
  readonly end: () => readonly ReplyEvent[]
  /** What the reply says if it ends here. Changes nothing; costs what is not certain yet, and the answer. */
  readonly snapshot: () => Reply
}
