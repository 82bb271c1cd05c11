import type { Blamed } from '@callspec/eval'
import type { Words } from '../html.ts'
import { encodedInHref } from '../html.ts'
import type { EpisodeData } from './episode-data.ts'
import type { LABEL_NAMES } from './names.ts'

/** What the page's script knows of all episodes before it unpacks one. Names are numbers of the lists. */
export interface EpisodeIndex {
  readonly models: readonly string[]
  readonly protocols: readonly string[]
  readonly tasks: readonly string[]
  readonly ends: readonly string[]
  readonly causes: readonly CauseEntry[]
  readonly kinds: readonly string[]
  readonly names: typeof LABEL_NAMES
  readonly culprits: Readonly<Record<Blamed, Words>>
  /** How many episodes there are up to the end of each block. */
  readonly blockEnds: readonly number[]
  readonly rows: readonly IndexRow[]
}

/** A cause: its key as addresses have it, who is to blame, what it is called. */
export interface CauseEntry {
  readonly key: string
  readonly blames: Blamed
  readonly words: Words
}

/** One episode; `causes` are those of the episode and of its replies. */
export type IndexRow = readonly [
  model: number,
  protocol: number,
  task: number,
  sample: number,
  end: number,
  success: 0 | 1,
  causes: readonly number[],
]

/** A block as it is before it is packed. */
export interface EpisodeBlock {
  readonly texts: readonly string[]
  readonly episodes: readonly EpisodeData[]
}

/** Which episodes are meant; what is absent may be anything. */
export interface EpisodeQuery {
  readonly model?: string
  readonly protocol?: string
  readonly task?: string
  /** See `causeKey`. */
  readonly cause?: string
}

/** The address of a list of episodes on the page: names with texts, in the form that the script of the page reads. */
export function episodesHref(query: EpisodeQuery): string {
  const parts = Object.entries(query).map(([name, value]) => `&${name}=${encodedInHref(String(value))}`)
  return `#episodes${parts.join('')}`
}
