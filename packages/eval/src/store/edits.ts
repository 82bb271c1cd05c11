import { RunError } from '../trace/run-error.ts'

/** Which changes of a recorded run are let pass. */
export interface Edits {
  /** Takes note of a change. @throws RunError for one that was not accepted, with `advice` what to do */
  found(what: string, advice?: string): void
  /** All that were let pass, in the order in which they were found, without repetitions. */
  accepted(): readonly string[]
}

/** So many are named one by one. */
const NAMED = 100
const MORE = 'and more'

/**
 * Lets those changes pass that a run is marked with already, and with `acceptsAll` any other.
 *
 * @param folder for the message: what was changed is said without its folder
 */
export function createEdits(
  folder: string,
  { marked, acceptsAll }: { readonly marked: readonly string[]; readonly acceptsAll: boolean },
): Edits {
  const names = new Set(marked)
  return {
    found: (what, advice = ADVICE) => {
      if (names.has(what) || names.has(MORE)) return
      if (!acceptsAll) throw new RunError(`${folder}/${what}. ${advice}`)
      names.add(names.size < NAMED ? what : MORE)
    },
    accepted: () => [...names],
  }
}

const ADVICE =
  'Put back what was there, or accept it with callspec rescore RUN --accept-edited, which marks the run as edited.'
