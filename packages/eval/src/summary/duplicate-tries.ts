import { addEpisode, emptyTally } from '../metrics/tally.ts'
import type { Tally } from '../metrics/tally.ts'
import type { EpisodeScore } from '../judging/score-episode.ts'

/** Finds out whether further tries of the tasks say anything that the first ones did not. */
export interface AlikeTries {
  add(score: EpisodeScore): void
  /** Whether every task that was tried again replied as the first time, to the byte, and some task was. */
  isAlike(): boolean
  /** What is counted of the first try of each task; nothing where tries differ. */
  firstTries(): readonly Tally[]
}

/** Watches the tries of one row. Episodes that failed on the way to the server said nothing. */
export function createAlikeTries(): AlikeTries {
  const known = new Map<string, { readonly replies: string | undefined; readonly tally: Tally }>()
  let [again, differs] = [false, false]
  return {
    add: (score) => {
      if (differs || score.end === 'infra_error') return
      const first = known.get(score.key.task)
      if (first === undefined) {
        const tally = emptyTally()
        addEpisode(tally, score)
        known.set(score.key.task, { replies: score.replies, tally })
        return
      }
      again = true
      // Runs that were scored by an earlier version name no replies.
      if (score.replies !== undefined && first.replies === score.replies) return
      differs = true
      known.clear()
    },
    isAlike: () => again && !differs,
    firstTries: () => [...known.values()].map(({ tally }) => tally),
  }
}
