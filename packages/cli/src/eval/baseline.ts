import { dirname } from 'node:path'
import { baselineOf, baselineText, readOutcomes, readSide, readSummary } from '@callspec/eval'
import type { Invocation, OptionTable } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { makeFolders } from '../make-folders.ts'
import { inert } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { SOURCES } from './options.ts'
import { printSummary } from './print-summary.ts'
import { REPORTS, runFolderOf } from './run-names.ts'
import { readSurroundings } from './surroundings.ts'

/** Where a baseline stands unless somebody says otherwise. */
const DEFAULT_FILE = 'golden/baseline.json'

/** The options of `callspec baseline`. */
export const BASELINE_OPTIONS: OptionTable = {
  output: { short: 'o', value: 'FILE', help: `The baseline to write. Default: ${DEFAULT_FILE}.` },
  json: { help: 'Print the summary as JSON.' },
  ...REPORTS,
  ...SOURCES,
}

/** `callspec baseline`. */
export async function runBaseline(invocation: Invocation): Promise<ExitCode> {
  const { subcommand, positionals, output, options: given } = invocation
  const { options } = await readSurroundings(invocation, BASELINE_OPTIONS)
  const [word] = positionals
  if (subcommand === 'show') {
    const { summary } = readSide(word ?? DEFAULT_FILE)
    if (options.flag('json')) output.line(JSON.stringify(summary, null, 2))
    else printSummary(summary, output)
    return EXIT.ok
  }
  if (word === undefined) throw new UsageError('callspec baseline bless needs a run folder, or latest.')
  const folder = await runFolderOf(word, options.text('reports') ?? 'reports')
  const summary = readSummary(folder)
  const path = given.text('output') ?? DEFAULT_FILE
  // Only the folder of the default is ours to make.
  if (path === DEFAULT_FILE) await makeFolders(dirname(path))
  await writeFileAtomically(path, baselineText(baselineOf(summary, readOutcomes(folder))))
  if (options.flag('json')) output.line(JSON.stringify({ path, summary }, null, 2))
  else {
    output.line(inert(`blessed ${folder}: ${path}`))
    output.line(`next: commit it; callspec eval --baseline ${path}`)
  }
  return EXIT.ok
}
