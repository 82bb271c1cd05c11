/** The scorer's version: it changes whenever the same trace may get another label, verdict or cause. */
export const SCORER_VERSION = '3'

/** What a version judges otherwise than the one before it, a sentence each; `callspec rescore` prints them. */
export const SCORER_CHANGES: Readonly<Record<string, readonly string[]>> = {
  '3': ['A reply that our own --max-tokens cut off is blamed on setup, no longer on the model.'],
}

/** The sentences of all versions after the given one; none for one that is not known. */
export function scorerChangesSince(version: string): readonly string[] {
  const since = Number(version)
  return Object.entries(SCORER_CHANGES).flatMap(([later, sentences]) => (Number(later) > since ? sentences : []))
}
