import { corpusSamples } from '@callspec/fuzz'
import type { About, SearchOptions } from '@callspec/fuzz'

/** The longest recorded text that a law is asked about whole; laws that ask about every beginning cut it further. */
const LONGEST = 2000

/** Texts of a corpus in place of the generated ones. */
export function searchIn(texts: readonly string[] | null, subject: About): Pick<SearchOptions, 'samples'> {
  return texts === null ? {} : { samples: corpusSamples(texts, subject.language, { maxLength: LONGEST }) }
}

/** Calls `work` about every `ms` milliseconds of a search, between two texts. */
export function dueEvery(
  ms: number,
  work: NonNullable<SearchOptions['onSeen']>,
): Required<Pick<SearchOptions, 'isDue' | 'onSeen'>> {
  let last = performance.now()
  const isDue = (): boolean => performance.now() - last >= ms
  return {
    isDue,
    onSeen: async (result) => {
      if (!isDue()) return
      await work(result)
      last = performance.now()
    },
  }
}
