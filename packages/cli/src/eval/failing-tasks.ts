import { rescore, verifyRun } from '@callspec/eval'
import { runFolderOf } from './run-names.ts'
import { readScores } from './reporters/report-text.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Ids of the tasks that some episode of the run of --filter-failing did not solve; null without the option. Results that a
 * killed process left half-written are written again first.
 *
 * @throws UsageError if there is no such run
 * @throws RunError for results that were edited
 */
export async function readFailing({ options }: Surroundings): Promise<ReadonlySet<string> | null> {
  const word = options['filter-failing']
  if (word === null) return null
  const folder = await runFolderOf(word, options.reports ?? 'reports')
  if (verifyRun(folder)?.isInterrupted === true) rescore(folder)
  const scores = await readScores(folder)
  return new Set(scores.filter(({ success }) => !success).map(({ key }) => key.task))
}
