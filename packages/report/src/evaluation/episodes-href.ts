/** Which episodes are meant; what is absent may be anything. */
export interface EpisodeQuery {
  readonly model?: string
  readonly protocol?: string
  readonly task?: string
  /** Rule and detail, as JSON. */
  readonly cause?: string
}

/** The address of a list of episodes on the page. The script reads the same form. */
export function episodesHref(query: EpisodeQuery): string {
  const parts = Object.entries(query).map(([name, value]) => `&${name}=${encoded(String(value))}`)
  return `#episodes${parts.join('')}`
}

const LONE = /[\ud800-\udfff]/gu

/** Lone surrogates cannot stand in an address. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(LONE, () => '\ufffd'))
}
