import { appendFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import type { Format } from '@callspec/core'
import type { ExitCode, Invocation } from '../command.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { exists } from '../input-file.ts'
import { INDEX_PAGE, writeIndexPage } from '../runs/index-page.ts'
import { didYouMean, messageOf, UsageError } from '../usage-error.ts'
import { writeChosenFile, writeFileAtomically } from '../write-file.ts'
import type { EvalOptions, FileReporter } from './eval-options.ts'
import { FILE_REPORTERS } from './eval-options.ts'
import type { Gates, Judgement } from './gates.ts'
import { exitCodeOf, printVerdicts } from './gates.ts'
import { copyPageData, writePage } from './page.ts'
import { printFailed, printSummary } from './print-summary.ts'
import type { FinishedRun } from './report-files.ts'
import { REPORT_FILES, reportText, settledScores } from './report-files.ts'
import type { EvalContext } from './context.ts'

/** How a finished run is printed, and when it fails. */
export interface Finishing {
  readonly output: Output
  readonly environment: EvalContext['environment']
  readonly outputs: Outputs
  readonly gates: Gates
  readonly ownFormats?: readonly Format[]
  /** What failed on the way to servers, for stderr. A warning, or without a verdict its reason. */
  readonly failures?: string | null
  /** Why there is no verdict even if the gates are met: missing parts. */
  readonly incomplete?: string | null
  /** Whether `report.html` is written into the folder. Default: true. */
  readonly writesPage?: boolean
  /** Whether the page of all runs is written next to the run, or only written again where it is. Default: the latter. */
  readonly listsRuns?: boolean
  /** The last lines: what to do next. */
  readonly next?: string
}

function nextSteps(folder: string): string {
  return `next: open ${folder}/report.html for every reply\n      callspec compare RUN ${folder}`
}

/** Writes and prints everything about a run. */
export async function finishRun(run: FinishedRun, finishing: Finishing): Promise<ExitCode> {
  const { output, environment, outputs, gates, failures = null, incomplete = null } = finishing
  for (const note of gates.notes) output.warn(note)
  const verdict = gates.judge(run.summary, run.folder)
  if (finishing.writesPage !== false) await writePage([run.folder], { ownFormats: finishing.ownFormats ?? [] })
  await writeRunList(run.folder, finishing)
  await writeOutputs(run, { outputs, output, environment, verdict })
  if (outputs.printed !== 'json') {
    const isTable = outputs.printed === 'table'
    const isJudged = verdict.verdicts.length + verdict.obstacles.length > 0 || verdict.held !== null
    if (isTable && isJudged) output.line()
    printVerdicts(verdict, output)
    if (isTable) output.line()
    output.line(inert(`${run.folder}/`))
    output.line(finishing.next ?? nextSteps(inert(run.folder)))
  }
  if (failures !== null && verdict.inconclusive) output.note(`callspec: ${failures}`)
  else if (failures !== null) output.warn(failures)
  if (incomplete !== null) output.note(`callspec: ${incomplete}`)
  return exitCodeOf({ failed: verdict.failed, inconclusive: verdict.inconclusive || incomplete !== null }, environment)
}

/** Writes the page of all runs next to the run. A run does not fail because of it. */
async function writeRunList(folder: string, { listsRuns = false, output }: Finishing): Promise<void> {
  const reports = dirname(folder)
  if (!listsRuns && !(await exists(join(reports, INDEX_PAGE)))) return
  try {
    await writeIndexPage(reports)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    output.warn(error.message)
  }
}

/** What is printed, and which files are written in addition to those of the run folder. */
export interface Outputs {
  /** `none`: only where the results are. */
  readonly printed: 'table' | 'json' | 'none'
  readonly files: readonly OutputFile[]
  /** File names in the run folder. */
  readonly inFolder: readonly FileReporter[]
  readonly verbose: boolean
}

export interface OutputFile {
  readonly path: string
  readonly reporter: FileReporter
}

const ENDINGS: ReadonlyMap<string, FileReporter> = new Map([
  ['.json', 'json'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
  ['.xml', 'junit'],
  ['.md', 'md'],
  ['.markdown', 'md'],
  ['.html', 'html'],
  ['.csv', 'csv'],
])

/**
 * Reads --output, --reporter, --json, --table and --verbose.
 *
 * @throws UsageError for a file with an unknown ending
 */
export function readOutputs(options: EvalOptions): Outputs {
  const named = options.output
  const reporters = options.reporter
  const files = named.filter((path) => path !== '-').map(outputFile)
  const twin = files.find(({ path }, index) => files.findIndex((other) => other.path === path) < index)
  if (twin !== undefined) throw new UsageError(`--output ${twin.path} was given twice. Give it once.`)
  const json = options.json || named.includes('-')
  const table = options.table ?? (reporters.length === 0 || reporters.includes('table'))
  return {
    printed: json ? 'json' : table ? 'table' : 'none',
    files,
    inFolder: FILE_REPORTERS.filter((reporter) => reporters.includes(reporter)),
    verbose: options.verbose,
  }
}

function outputFile(path: string): OutputFile {
  const reporter = ENDINGS.get(extname(path).toLowerCase())
  if (reporter !== undefined) return { path, reporter }
  throw new UsageError(
    `--output ${path}: the ending does not say what to write.${nearEnding(path)} Known: ${[...ENDINGS.keys()].join(', ')}, or - to print JSON.`,
  )
}

/** Compares without the dot, which all endings share. */
function nearEnding(path: string): string {
  const letters = [...ENDINGS.keys()].map((ending) => ending.slice(1))
  return didYouMean(extname(path).slice(1), letters, { prefix: '.' })
}

/** GitHub refuses a step's summary of more than one mebibyte. */
const STEP_SUMMARY_BYTES = 1_000_000

export interface Writing {
  readonly outputs: Outputs
  readonly output: Output
  readonly environment: Invocation['environment']
  readonly verdict: Judgement
}

/**
 * Writes the requested files and the summary of the CI step, then prints.
 *
 * @throws UsageError for a file that cannot be written; nothing is printed then
 */
export async function writeOutputs(
  run: FinishedRun,
  { outputs, output, environment, verdict }: Writing,
): Promise<void> {
  const { files, inFolder, printed } = outputs
  const wanted = [
    ...files.map((file) => ({ ...file, write: writeFileAtomically })),
    ...inFolder.map((reporter) => ({
      reporter,
      path: join(run.folder, REPORT_FILES[reporter]),
      write: writeChosenFile,
    })),
  ]
  for (const { reporter, path, write } of wanted) {
    await write(path, await reportText(reporter, run))
    if (reporter === 'html') await copyPageData(join(run.folder, REPORT_FILES.html), path)
  }
  const step = environment['GITHUB_STEP_SUMMARY'] ?? ''
  if (step !== '') await appendStepSummary(step, run, output)
  if (printed === 'json') output.line(JSON.stringify({ ...run.summary, folder: run.folder, verdict }, null, 2))
  if (printed !== 'table') return
  printSummary(run.summary, output, { isVerbose: outputs.verbose })
  if (outputs.verbose) printFailed(await settledScores(run), output)
}

/** The step summary is not a result: if it cannot be written, the run does not fail. */
async function appendStepSummary(path: string, run: FinishedRun, output: Output): Promise<void> {
  try {
    await appendFile(path, shortenedSummary(await reportText('md', run)))
  } catch (error) {
    output.warn(`GITHUB_STEP_SUMMARY cannot be written (${messageOf(error)})`)
  }
}

function shortenedSummary(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= STEP_SUMMARY_BYTES) return text
  const kept = bytes.subarray(0, bytes.lastIndexOf('\n', STEP_SUMMARY_BYTES)).toString()
  return `${kept}\n\nThe rest is in report.md of the run folder.\n`
}
