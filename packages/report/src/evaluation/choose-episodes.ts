import type { ReportedEpisode } from './input.ts'

/** Collects the episodes that a page shows, in a memory that does not grow with the run. */
export interface EpisodeChoice {
  add(episode: ReportedEpisode): void
  /** The chosen ones in the order in which they came, and how many there were besides. */
  chosen(): { readonly episodes: readonly ReportedEpisode[]; readonly left: number }
}

/** How much a page may hold. */
export interface ChoiceLimits {
  /** Episodes of one model and protocol that ended in one way. */
  readonly perEnd: number
  /** UTF-16 units of replies and new prompt text of all of them together. */
  readonly units: number
}

/** What a small page can hold: below a megabyte, since most texts occur many times. */
export const PAGE_LIMITS: ChoiceLimits = { perEnd: 12, units: 6_000_000 }

/**
 * Failures first: of every way in which episodes of a model and protocol ended, the first few. A run of a hundred thousand
 * turns has the same few kinds of failure as one of a hundred.
 */
export function createEpisodeChoice({ perEnd, units }: ChoiceLimits = PAGE_LIMITS): EpisodeChoice {
  const taken = new Map<string, number>()
  const kept: { readonly at: number; readonly episode: ReportedEpisode }[] = []
  let [seen, used] = [0, 0]
  return {
    add: (episode) => {
      seen += 1
      const { key, end, success } = episode.score
      const kind = JSON.stringify([key.model, key.protocol, end, success])
      const count = taken.get(kind) ?? 0
      const size = sizeOf(episode)
      if (count >= perEnd || used + size > units) return
      taken.set(kind, count + 1)
      used += size
      kept.push({ at: seen, episode })
    },
    chosen: () => ({ episodes: kept.map(({ episode }) => episode), left: seen - kept.length }),
  }
}

function sizeOf({ trace }: ReportedEpisode): number {
  return trace.turns.reduce((sum, { text, reasoning, sent }) => {
    const added = typeof sent.added === 'string' ? sent.added.length : JSON.stringify(sent.added).length
    return sum + text.length + reasoning.length + added
  }, 0)
}
