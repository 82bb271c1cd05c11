import type { JsonRecord } from '../text/json.ts'

/** Answers and what they are filed under. */
export interface TapeShelf {
  /**
   * What the tape holds, or what `ask` gives and the tape holds from now on.
   *
   * @param read the answer in a line; null where there is none
   * @param write the answer as members of a line; null for one that is not worth a line
   * @throws RunError in strict mode when the tape holds nothing
   */
  answer<T>(
    entry: { readonly kind: string; readonly key: string; readonly about: string },
    how: {
      readonly read: (line: JsonRecord) => T | null
      readonly write: (answer: T) => JsonRecord | null
      readonly ask: () => Promise<T>
    },
  ): Promise<T>
}
