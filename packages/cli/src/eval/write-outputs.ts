import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Invocation } from '../command.ts'
import type { Output } from '../output.ts'
import { messageOf } from '../usage-error.ts'
import { writeChosenFile, writeFileAtomically } from '../write-file.ts'
import type { Judgement } from './gates.ts'
import type { Outputs } from './outputs.ts'
import { copyPageData } from './page-data.ts'
import { printFailed } from './print-failed.ts'
import { printSummary } from './print-summary.ts'
import { REPORT_FILES, reportText, settledScores } from './reporters/report-text.ts'
import type { FinishedRun } from './reporters/report-text.ts'

/** GitHub refuses a step's summary of more than one mebibyte. */
const STEP_SUMMARY_BYTES = 1_000_000

/** What is written, where, and with which verdict. */
export interface Writing {
  readonly outputs: Outputs
  readonly output: Output
  readonly environment: Invocation['environment']
  readonly verdict: Judgement
}

/**
 * Writes every file that was asked for, the summary of the CI step, and prints.
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

/** The step's summary is a service of the CI, not a result: when it cannot be written, the run is none the worse. */
async function appendStepSummary(path: string, run: FinishedRun, output: Output): Promise<void> {
  try {
    await appendFile(path, shortened(await reportText('md', run)))
  } catch (error) {
    output.warn(`GITHUB_STEP_SUMMARY cannot be written (${messageOf(error)})`)
  }
}

function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= STEP_SUMMARY_BYTES) return text
  const kept = bytes.subarray(0, bytes.lastIndexOf('\n', STEP_SUMMARY_BYTES)).toString()
  return `${kept}\n\nThe rest stands in report.md of the run folder.\n`
}
