import type { EpisodeData } from '../src/evaluation/episode-data.ts'

/** What stands in the page's block of data. */
export interface PageData {
  readonly kinds: readonly string[]
  readonly texts: readonly string[]
  readonly episodes: readonly EpisodeData[]
}

/** Reads the block; null on a page without episodes. */
export function readPageData(page: Document): PageData | null {
  const block = page.getElementById('episode-data')
  return block === null ? null : (JSON.parse(block.textContent) as PageData)
}
