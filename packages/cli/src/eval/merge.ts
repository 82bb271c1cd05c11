import { mergeRuns } from '@callspec/eval'
import type { EvalSummary, MergedRun } from '@callspec/eval'
import type { Invocation, OptionTable } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { finishRun } from './finish.ts'
import { readGates } from './gates.ts'
import { EDITED, GATES, OUTPUTS, SOURCES } from './options.ts'
import { readOutputs } from './outputs.ts'
import { REPORTS, runFolderOf } from './run-names.ts'
import { readSurroundings } from './surroundings.ts'

/** The options of `callspec merge`. */
export const MERGE_OPTIONS: OptionTable = {
  into: { value: 'DIR', help: 'Folder of the result: a new one, or that of an earlier merge.' },
  ...EDITED,
  ...REPORTS,
  ...OUTPUTS,
  ...GATES,
  ...SOURCES,
}

/** `callspec merge`. */
export async function runMerge(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const surroundings = await readSurroundings(invocation, MERGE_OPTIONS)
  const { options, environment } = surroundings
  const into = options.text('into')
  if (into === null || into === '') throw new UsageError('callspec merge needs --into DIR: where the result goes.')
  if (positionals.length === 0) throw new UsageError('callspec merge needs the folders of the parts.')
  const reports = options.text('reports') ?? 'reports'
  const parts: string[] = []
  for (const word of positionals) parts.push(await runFolderOf(word, reports))
  const [outputs, gates] = [readOutputs(options), await readGates(surroundings)]
  const { summary, episodes, ended } = mergeRuns(parts, into, { acceptEdited: options.flag('accept-edited') })
  return finishRun(
    { folder: into, summary, leftOut: [] },
    {
      output,
      environment,
      outputs,
      gates,
      incomplete: incompleteText(summary, { episodes, ended }),
      next: `next: callspec report ${into} -o report.md`,
    },
  )
}

function incompleteText(
  { run: { shard } }: EvalSummary,
  { episodes, ended }: Omit<MergedRun, 'summary'>,
): string | null {
  if (shard !== null) return `parts ${shard.parts.join(', ')} of ${shard.of} are here: merge the others too.`
  return ended === episodes ? null : `${ended} of ${episodes} episodes have come to their end: go on with --resume.`
}
