import type { Format } from '@callspec/core'
import { readSummary, rescore, verifyRun } from '@callspec/eval'
import type { PageLanguage } from '@callspec/report'
import { PAGE_LANGUAGES } from '@callspec/report'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import { finishRun, readOutputs } from '../eval/finish.ts'
import { readGates } from '../eval/gates.ts'
import { loadModulesOf, warnOfChanged } from '../eval/module-formats.ts'
import { SCORING_OPTIONS } from '../eval/options.ts'
import { writePage } from '../eval/page.ts'
import type { FinishedRun } from '../eval/report-files.ts'
import { namesRun, runFolderOf } from '../eval/run-names.ts'
import { exists } from '../input-file.ts'
import { readEvalContext } from '../eval/context.ts'
import type { EvalOptionName } from '../eval/eval-options.ts'
import { isGiven } from '../eval/eval-options.ts'
import { inert } from '../output.ts'
import { writeIndexPage } from '../runs/index-page.ts'
import { UsageError } from '../usage-error.ts'

const REPORT_OPTIONS: OptionTable = {
  lang: { value: 'LANG', help: 'Language in which the page opens: en or zh. Default: that of the browser.' },
  ...SCORING_OPTIONS,
}

export const reportCommand: Command = {
  name: 'report',
  usage: ['report RUN ... [options]', 'report [--reports DIR] [--lang LANG]'],
  about:
    'Writes report.html into the folder of the (first) run: one page with comparison, causes, tasks and every episode as a ' +
    'conversation; several runs of one suite are shown side by side. Also prints the run again, or writes it in other forms. Without RUN ' +
    'it writes reports/index.html, the list of all runs, which eval keeps up to date. RUN is a ' +
    'folder, its name in reports/, or latest. Figures are those of the folder; callspec rescore computes them again.',
  maxPositionals: Infinity,
  takesRuns: true,
  options: REPORT_OPTIONS,
  examples: [
    'callspec report latest',
    'callspec report latest --lang zh',
    'callspec report',
    'callspec report latest -o junit.xml -o episodes.csv --no-table',
  ],
  notes: ['Exit codes: 0 every gate is met; 1 one is not; 2 misuse, or a folder that cannot be read; 3 no verdict.'],
  run: runReport,
}

/** Options that count without a run. */
const OF_ALL_RUNS: ReadonlySet<string> = new Set(['reports', 'lang', 'config', 'env-file'])

async function runReport(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const context = await readEvalContext(invocation, REPORT_OPTIONS, 'when-named')
  const { options, environment } = context
  const language = pageLanguageNamed(options.lang)
  const reports = options.reports ?? 'reports'
  if (positionals.length === 0 && (await exists(reports))) {
    const unused = (Object.keys(SCORING_OPTIONS) as EvalOptionName[]).find(
      (name) => !OF_ALL_RUNS.has(name) && isGiven(context.given, name),
    )
    if (unused !== undefined) throw new UsageError(`--${unused} is about one run. Name a run folder, or latest.`)
    output.line(`page: ${inert(await writeIndexPage(reports, language ?? undefined))}`)
    return EXIT.ok
  }
  const folders: string[] = []
  for (const word of positionals.filter(namesRun)) folders.push(await runFolderOf(word, reports))
  const [folder] = folders
  if (folder === undefined) throw new UsageError('callspec report needs a run folder, or latest.')
  const loaded: (readonly Format[])[] = []
  for (const each of folders)
    loaded.push(
      await loadModulesOf(each, { allowed: context.given['allow-format'], whenChanged: warnOfChanged(output) }),
    )
  const ownFormats = [...new Map(loaded.flat().map((format) => [format.id, format])).values()]
  // An edited run is scored again before it is shown.
  const acceptEdited = options['accept-edited']
  for (const each of folders)
    if (acceptEdited || verifyRun(each)?.isInterrupted === true) rescore(each, { acceptEdited, ownFormats })
  const run = readRun(folder)
  const [outputs, gates] = [readOutputs(options), await readGates(context, ownFormats)]
  const page = await writePage(folders, { ownFormats, ...(language === null ? {} : { language }) })
  return finishRun(run, {
    output,
    environment,
    outputs,
    gates,
    ownFormats,
    writesPage: false,
    next: `page: ${inert(page)}`,
  })
}

/** @throws UsageError for another language */
function pageLanguageNamed(named: string | null): PageLanguage | null {
  if (named === null) return null
  const known = PAGE_LANGUAGES.find((each) => each === named)
  if (known === undefined) throw new UsageError(`--lang "${named}" is unknown. Known: ${PAGE_LANGUAGES.join(', ')}.`)
  return known
}

/** @throws RunError if the run has not ended, or its version is unknown */
export function readRun(folder: string): FinishedRun {
  return { folder, summary: readSummary(folder), leftOut: [] }
}
