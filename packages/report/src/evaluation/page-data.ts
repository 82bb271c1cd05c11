import type { Blamed } from '@callspec/eval'
import type { Words } from '../html.ts'
import { encodedInHref } from '../html.ts'

/** What the page's script knows of all episodes before it unpacks one. Names are numbers of the lists. */
export interface EpisodeIndex {
  readonly models: readonly string[]
  readonly protocols: readonly string[]
  readonly tasks: readonly string[]
  readonly ends: readonly string[]
  readonly causes: readonly CauseEntry[]
  readonly kinds: readonly string[]
  readonly names: Readonly<Record<'turns' | 'ends', Readonly<Record<string, Words>>>>
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

/** What the page's script gets to know of an episode. Texts are numbers of the table. */
export interface EpisodeData {
  /** What the user asked. */
  readonly question: number
  /** The conversation before it; absent without one. */
  readonly earlier?: readonly (readonly [role: string, text: number])[]
  readonly blame: BlameData | null
  /** What the verdict misses. */
  readonly reasons: readonly Words[]
  readonly error: string | null
  readonly turns: readonly TurnData[]
}

/** The number of a cause in the index, and what shows it. */
export type BlameData = readonly [cause: number, evidence: string]

export interface TurnData {
  /** Messages of the prompt that were there before, and those that are new; one text for a raw prompt. */
  readonly kept: number
  readonly added: readonly (readonly [role: string, text: number])[]
  readonly isRaw: boolean
  readonly text: number
  readonly reasoning: number | null
  /** Kind, start and end of every part of the text; kinds as in `SPAN_KINDS`. */
  readonly spans: readonly (readonly [kind: number, start: number, end: number])[]
  readonly issues: readonly (readonly [code: string, message: string, start: number, end: number])[]
  readonly strict: string
  readonly lenient: string
  readonly blame: BlameData | null
  /** What else is to be said of the reply, in words. */
  readonly notes: readonly Words[]
  readonly toolCalls: readonly (readonly [name: string, args: number])[]
  readonly calls: readonly (readonly [name: string, args: number, result: number, isError: boolean])[]
  readonly failure: string | null
  readonly facts: readonly string[]
  readonly chunks: readonly (readonly [ms: number, units: number])[]
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
