import type { Invocation, OptionTable } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { finishRun } from './finish.ts'
import { readGates } from './gates.ts'
import { GATES, OUTPUTS, SOURCES } from './options.ts'
import { readOutputs } from './outputs.ts'
import { readRun } from './read-run.ts'
import { REPORTS, runFolderOf } from './run-names.ts'
import { readSurroundings } from './surroundings.ts'

/** The options of `callspec report`. */
export const REPORT_OPTIONS: OptionTable = { ...OUTPUTS, ...GATES, ...REPORTS, ...SOURCES }

/** `callspec report`. */
export async function runReport(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const surroundings = await readSurroundings(invocation, REPORT_OPTIONS)
  const { options, environment } = surroundings
  const [word] = positionals
  if (word === undefined) throw new UsageError('callspec report needs a run folder, or latest.')
  const run = readRun(await runFolderOf(word, options.text('reports') ?? 'reports'))
  const [outputs, gates] = [readOutputs(options), await readGates(surroundings)]
  return finishRun(run, { output, environment, outputs, gates, next: 'next: open report.html for every reply' })
}
