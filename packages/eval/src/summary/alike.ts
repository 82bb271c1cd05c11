import type { EpisodeScore } from '../judging/score-episode.ts'
import { addEpisode, emptyTally } from '../metrics/tally.ts'
import type { Tally } from '../metrics/tally.ts'

/** Finds out whether further tries of the tasks say anything that the first ones did not. */
export interface AlikeTries {
  add(score: EpisodeScore): void
  /** Whether every task that was tried again replied as the first time, to the byte, and some task was. */
  isAlike(): boolean
  /** What is counted of the first try of each task. */
  firstTries(): Tally
}

/** Watches the tries of one row. Episodes that failed on the way to the server said nothing. */
export function createAlikeTries(): AlikeTries {
  const known = new Map<string, string | undefined>()
  const tally = emptyTally()
  let [again, differs] = [false, false]
  return {
    add: (score) => {
      const { task } = score.key
      if (score.end === 'infra_error') return
      if (!known.has(task)) {
        known.set(task, score.replies)
        addEpisode(tally, score)
        return
      }
      again = true
      // Runs that were scored by an earlier version do not tell.
      if (score.replies === undefined || known.get(task) !== score.replies) differs = true
    },
    isAlike: () => again && !differs,
    firstTries: () => tally,
  }
}
