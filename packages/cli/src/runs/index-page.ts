import { join } from 'node:path'
import type { PageLanguage } from '@callspec/report/evaluation'
import { renderRunList, RUN_LIST_MARK } from '@callspec/report/evaluation'
import { exists, textOfFile } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import { refuseLink, writeFileAtomically } from '../write-file.ts'
import { createRunReader } from './read-runs.ts'

/** The page of all runs, next to their folders. */
export const INDEX_PAGE = 'index.html'

/**
 * Writes the page of all runs into their folder, readable by its owner alone, as run folders are. Returns its path.
 *
 * @throws UsageError for a file of this name that is not this page, and for one that cannot be written
 */
export async function writeIndexPage(reports: string, language?: PageLanguage): Promise<string> {
  const path = join(reports, INDEX_PAGE)
  await refuseLink(path)
  if ((await exists(path)) && !((await textOfFile(path)) ?? '').includes(RUN_LIST_MARK))
    throw new UsageError(`${path}: is not the page of runs, and was not written over. Move it away.`)
  const { runs, older } = await createRunReader(reports).read()
  await writeFileAtomically(path, renderRunList({ runs, older, language }), OWNER_ONLY)
  return path
}

const OWNER_ONLY = 0o600
