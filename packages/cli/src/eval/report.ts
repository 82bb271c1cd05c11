import { join } from 'node:path'
import { rescore } from '@callspec/eval'
import { PAGE_LANGUAGES } from '@callspec/report'
import type { PageLanguage } from '@callspec/report'
import type { Invocation, OptionTable } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { inert } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { finishRun } from './finish.ts'
import { readGates } from './gates.ts'
import { EDITED, GATES, OUTPUTS, SOURCES } from './options.ts'
import { readOutputs } from './outputs.ts'
import { pageLanguage } from '../page-language.ts'
import { renderRuns } from './page.ts'
import { readRun } from './read-run.ts'
import { REPORTS, runFolderOf } from './run-names.ts'
import { readSurroundings } from './surroundings.ts'

/** The options of `callspec report`. */
export const REPORT_OPTIONS: OptionTable = {
  lang: { value: 'LANG', help: 'Language in which the page opens: en or zh. Default: that of the terminal.' },
  ...OUTPUTS,
  ...GATES,
  ...EDITED,
  ...REPORTS,
  ...SOURCES,
}

/** `callspec report`. */
export async function runReport(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const surroundings = await readSurroundings(invocation, REPORT_OPTIONS)
  const { options, environment } = surroundings
  const folders: string[] = []
  for (const word of positionals) folders.push(await runFolderOf(word, options.text('reports') ?? 'reports'))
  const [folder] = folders
  if (folder === undefined) throw new UsageError('callspec report needs a run folder, or latest.')
  // What is accepted has to be scored before it is shown.
  if (options.flag('accept-edited')) for (const each of folders) rescore(each, { acceptEdited: true })
  const run = readRun(folder)
  const language = languageOf(options.text('lang')) ?? pageLanguage(environment)
  const [outputs, gates] = [readOutputs(options), await readGates(surroundings)]
  const page = join(folder, 'report.html')
  await writeFileAtomically(page, await renderRuns(folders, language))
  return finishRun(run, { output, environment, outputs, gates, writesPage: false, next: `page: ${inert(page)}` })
}

/** @throws UsageError for another language */
function languageOf(named: string | null): PageLanguage | null {
  if (named === null) return null
  const known = PAGE_LANGUAGES.find((each) => each === named)
  if (known === undefined) throw new UsageError(`--lang "${named}" is unknown. Known: ${PAGE_LANGUAGES.join(', ')}.`)
  return known
}
