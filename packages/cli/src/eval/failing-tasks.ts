import { runFolderOf } from './run-names.ts'
import { readScores } from './reporters/report-text.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Ids of the tasks that some episode of the run of --filter-failing did not solve; null where the option is not given.
 *
 * @throws UsageError when there is no such run
 */
export async function readFailing({ options }: Surroundings): Promise<ReadonlySet<string> | null> {
  const word = options['filter-failing']
  if (word === null) return null
  const scores = await readScores(await runFolderOf(word, options.reports ?? 'reports'))
  return new Set(scores.filter(({ success }) => !success).map(({ key }) => key.task))
}
