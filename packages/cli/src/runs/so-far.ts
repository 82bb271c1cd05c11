import type { EvalSummary, PlayedEpisode } from '@callspec/eval'
import { formatsWith, openRun, rescore, RunError, settledScore } from '@callspec/eval'
import {
  createEpisodePacker,
  createExampleCollector,
  createStoryCollector,
  renderEvaluation,
} from '@callspec/report/evaluation'

/** Why the episodes so far are not scored. */
export interface NotScored {
  readonly fault: string
}

/** Scoring a longer journal while it grows would keep the server busy. */
const MOST_BYTES = 64 << 20

/** The figures of the episodes of a run that have ended. Reads the folder and writes nothing. */
export function scoreSoFar(folder: string, journalBytes: number): EvalSummary | NotScored {
  if (journalBytes > MOST_BYTES)
    return { fault: 'the journal is larger than 64 MB. callspec report writes the page at the end.' }
  try {
    return rescore(folder, { write: false })
  } catch (error) {
    return faultOf(error)
  }
}

/** The report of the episodes of a run that have ended, as one HTML file; null for none. */
export function renderSoFar(folder: string, journalBytes: number): string | NotScored | null {
  if (journalBytes > MOST_BYTES) return { fault: 'the journal is larger than 64 MB' }
  const episodes: PlayedEpisode[] = []
  try {
    const summary = rescore(folder, { write: false, onEpisode: (episode) => void episodes.push(episode) })
    if (episodes.length === 0) return null
    const stored = openRun(folder)
    try {
      const tasks = new Map(stored.suite.tasks.map((task) => [task.id, task]))
      const [packer, examples, stories] = [
        createEpisodePacker(formatsWith([])),
        createExampleCollector(),
        createStoryCollector(),
      ]
      for (const { trace, score } of episodes) {
        const task = tasks.get(score.key.task)
        const question = task === undefined ? {} : { question: task.query, earlier: task.messages }
        const episode = { trace, score: settledScore(score, summary.rows), ...question }
        packer.add(episode)
        stories.add(episode)
        examples.add({ ...episode, injection: task?.injection })
      }
      const parts = { episodes: packer.finish(), examples: examples.all(), stories: stories.all() }
      return renderEvaluation({ summary, manifest: stored.manifest, ...parts }, { mostInside: Infinity }).html
    } finally {
      stored.close()
    }
  } catch (error) {
    return faultOf(error)
  }
}

/** A folder that is being written may be read between two of its files: the next time it is whole. */
function faultOf(error: unknown): NotScored {
  if (error instanceof RunError) return { fault: error.message }
  throw error
}
