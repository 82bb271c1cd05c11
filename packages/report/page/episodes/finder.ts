import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import type { Filter } from './address.ts'
import { findEpisodes, searchTexts } from './find.ts'
import type { Blocks } from './open-episode.ts'

/** What a filter lets through, and what a search adds to it. */
export interface Finder {
  found(): readonly number[]
  find(filter: Filter): void
  /** Looks for the words in all texts as well; what was found by name stays. A later call ends it. */
  searchTexts(filter: Filter): void
}

/** What a finder looks through, and who is told. */
export interface FinderParts {
  readonly index: EpisodeIndex
  readonly blocks: Blocks
  readonly onFound: (found: readonly number[]) => void
}

/** Nothing is found yet. */
export function createFinder({ index, blocks, onFound }: FinderParts): Finder {
  let [found, search]: [readonly number[], number] = [[], 0]
  const tell = (all: readonly number[]): void => {
    found = all
    onFound(all)
  }
  return {
    found: () => found,
    find: (filter) => {
      search += 1
      tell(findEpisodes(index, filter))
    },
    searchTexts: (filter) => {
      search += 1
      const own = search
      void searchTexts(filter.words, { index, blocks, isOver: () => search !== own }).then((said) => {
        if (search !== own) return
        const named = new Set(findEpisodes(index, filter))
        tell(findEpisodes(index, { ...filter, words: '' }).filter((at) => named.has(at) || said.has(at)))
      })
    },
  }
}
