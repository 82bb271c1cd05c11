import type { Format } from '@callspec/core'
import type { EvalSummary, MergedRun } from '@callspec/eval'
import { mergeRuns } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { finishRun, readOutputs } from '../eval/finish.ts'
import { readGates } from '../eval/gates.ts'
import { loadModulesOf, warnOfChanged } from '../eval/module-formats.ts'
import { SCORING_OPTIONS, SHARED_FOLDER } from '../eval/options.ts'
import { namesRun, runFolderOf } from '../eval/run-names.ts'
import { readEvalContext } from '../eval/context.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'

const MERGE_OPTIONS: OptionTable = {
  into: { value: 'DIR', help: 'Folder of the result: a new one, or that of an earlier merge.' },
  ...SHARED_FOLDER,
  ...SCORING_OPTIONS,
}

export const mergeCommand: Command = {
  name: 'merge',
  usage: ['merge RUN RUN ... --into DIR [options]'],
  about:
    'Puts parts of one plan, played with --shard, together in one run folder, and scores it. The order does not matter, and a ' +
    'part may be merged again, by itself or within the result.',
  maxPositionals: Infinity,
  takesRuns: true,
  options: MERGE_OPTIONS,
  examples: [
    'callspec merge reports/*-1of2 reports/*-2of2 --into reports/whole',
    'callspec merge part1 part2 part3 --into whole --min parse_rate=0.95 --json',
  ],
  notes: [
    'Exit codes: 0 the plan is whole and every gate is met; 1 a gate is not met; 2 misuse, or folders that are no parts of ' +
      'one plan; 3 no verdict: parts are missing, or too many episodes failed on the way to the server.',
  ],
  run: runMerge,
}

async function runMerge(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const context = await readEvalContext(invocation, MERGE_OPTIONS, 'when-named')
  const { options, own, environment } = context
  const into = own.text('into')
  if (into === null || into === '') throw new UsageError('callspec merge needs --into DIR: where the result goes.')
  if (positionals.length === 0) throw new UsageError('callspec merge needs the folders of the parts.')
  const reports = options.reports ?? 'reports'
  const parts: string[] = []
  for (const word of positionals.filter(namesRun)) parts.push(await runFolderOf(word, reports))
  const loaded: (readonly Format[])[] = []
  for (const part of parts)
    loaded.push(
      await loadModulesOf(part, { allowed: context.given['allow-format'], whenChanged: warnOfChanged(output) }),
    )
  // Every part names the same modules.
  const ownFormats = [...new Map(loaded.flat().map((format) => [format.id, format])).values()]
  const [outputs, gates] = [readOutputs(options), await readGates(context, ownFormats)]
  const progress = workProgress({ output, noun: 'episode' })
  let scored = 0
  const { summary, episodes, ended } = mergeRuns(parts, into, {
    onEpisode: (_, of) => progress.step((scored += 1), scored / of),
    acceptEdited: options['accept-edited'],
    isShared: options['shared-folder'],
    ownFormats,
  })
  output.progressDone()
  return finishRun(
    { folder: into, summary, leftOut: [] },
    {
      output,
      environment,
      outputs,
      gates,
      ownFormats,
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
  return ended === episodes ? null : `${ended} of ${plural(episodes, 'episode')} at the end: go on with --resume.`
}
