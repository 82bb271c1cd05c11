import { join } from 'node:path'
import { scoreboardFileName } from '@callspec/conformance'
import type { Scoreboard } from '@callspec/conformance'
import { renderConformance, renderScoreBadge } from '@callspec/report'
import type { Invocation } from '../command.ts'
import { pageLanguage } from '../page-language.ts'
import { makeFolders } from '../make-folders.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { createCompared } from './compared.ts'
import type { Compared } from './compared.ts'
import { addRecorded } from './page-recorded.ts'
import { addResults, columnName } from './page-results.ts'

/** What stands in the page besides the results: scoreboards, and formats of which recorded answers are asked for. */
export interface MatrixParts {
  readonly scoreboards: readonly Scoreboard[]
  readonly formats: readonly string[]
}

/** Writes page and badges, as far as they are asked for. */
export async function writeMatrixFiles(
  { scoreboards, formats }: MatrixParts,
  { options, output, environment }: Pick<Invocation, 'options' | 'output' | 'environment'>,
): Promise<void> {
  const html = options.text('html')
  const badges = options.text('badges')
  const results = options.list('results')
  if (html === null && results.length > 0) throw new UsageError('--results belongs to --html FILE')
  if (html !== null) {
    const compared = createCompared()
    await addResults(compared, { paths: results, cases: options.list('cases') })
    addScoreboards(compared, scoreboards)
    await addRecorded(compared, new Set([...formats, ...compared.cells().flatMap(({ format }) => format ?? [])]))
    const page = renderConformance({
      ...{ columns: compared.columns(), cells: compared.cells(), cases: compared.cases(), scoreboards },
      date: dayOfPage(environment),
      language: pageLanguage(environment),
    })
    await writeFileAtomically(html, page)
    output.note(`page: ${html}`)
  }
  if (badges === null) return
  await makeFolders(badges)
  for (const scoreboard of scoreboards) {
    const path = join(badges, scoreboardFileName(scoreboard.implementation).replace(/\.json$/, '.svg'))
    await writeFileAtomically(path, renderScoreBadge(scoreboard))
    output.note(`badge: ${path}`)
  }
}

/** A scoreboard knows no topics; where results do, they count. */
function addScoreboards(compared: Compared, scoreboards: readonly Scoreboard[]): void {
  for (const { implementation, results } of scoreboards)
    for (const { version, casesVersion, cells } of results) {
      const name = columnName(`${implementation} ${version}`)
      const column = compared.column({ name, recorded: null, cases: casesVersion, date: null })
      for (const cell of cells) compared.addTotal({ ...cell, column, topic: null, open: 0 })
    }
}

/** Builds that can be repeated say when they are (`SOURCE_DATE_EPOCH`, in seconds). */
function dayOfPage(environment: Invocation['environment']): string {
  const seconds = environment['SOURCE_DATE_EPOCH']
  const isGiven = seconds !== undefined && /^\d{1,11}$/.test(seconds)
  return (isGiven ? new Date(Number(seconds) * 1000) : new Date()).toISOString().slice(0, 10)
}
