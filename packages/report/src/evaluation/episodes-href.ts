import { encodedInHref } from '../href.ts'

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
