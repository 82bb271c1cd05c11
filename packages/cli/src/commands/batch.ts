import type { Format } from '@callspec/core'
import type { BatchImport, Suite } from '@callspec/eval'
import { beginRun, exportBatch, importBatch, openRun } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { asIn, EXIT } from '../command.ts'
import { finishRun, readOutputs } from '../eval/finish.ts'
import { readGates } from '../eval/gates.ts'
import { loadModulesOf, refuseChanged } from '../eval/module-formats.ts'
import {
  GATE_OPTIONS,
  MODEL_OPTIONS,
  REQUEST_OPTIONS,
  RUN_OPTIONS,
  SCORING_OPTIONS,
  SHARED_FOLDER,
  TASK_OPTIONS,
  withHeadings,
} from '../eval/options.ts'
import { wholeSuite } from '../eval/resume.ts'
import { lastInterrupted, namesLatest, runFolderOf } from '../eval/run-names.ts'
import { readFailing } from '../eval/select-tasks.ts'
import { readSettings, runConfigOf } from '../eval/settings.ts'
import type { EvalContext } from '../eval/context.ts'
import { readEvalContext } from '../eval/context.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { openLineWriter } from '../write-file.ts'

const NO_OPTION = { help: '' }

/** The batch service sends the requests, so these options have no meaning. */
const ASKING: readonly string[] = [
  'stream',
  'cache',
  'record',
  'replay',
  'strict',
  'delay',
  'timeout',
  'max-retries',
  'wait-for-server',
  'max-concurrency',
]

const { 'filter-failing': FAILING, ...OTHER_TASKS } = TASK_OPTIONS
const OWN_REQUESTS = Object.entries(REQUEST_OPTIONS).filter(([name]) => !ASKING.includes(name))
const OF_EVERY_RUN: readonly string[] = ['repeat', 'seed']

const BATCH_OPTIONS: OptionTable = withHeadings({
  ...Object.fromEntries(
    Object.entries(MODEL_OPTIONS).filter(([name]) => ['model', 'format', 'protocol'].includes(name)),
  ),
  ...OTHER_TASKS,
  ...Object.fromEntries(OWN_REQUESTS.filter(([name]) => OF_EVERY_RUN.includes(name))),
  'retry-errors': { help: 'Also request again what failed.' },
  ...SHARED_FOLDER,
  ...(RUN_OPTIONS['shard'] === undefined ? {} : { shard: RUN_OPTIONS['shard'] }),
  ...SCORING_OPTIONS,
  output: {
    ...SCORING_OPTIONS['output'],
    help: 'With export: write the requests here. With import: also write the results here, as callspec report does.',
  },
  ...asIn('eval', {
    'filter-failing': FAILING ?? NO_OPTION,
    ...Object.fromEntries(OWN_REQUESTS.filter(([name]) => !OF_EVERY_RUN.includes(name))),
  }),
})

/** Options of `import` alone: printing and gates. */
const OF_RESULTS: readonly string[] = ['table', 'verbose', ...Object.keys(GATE_OPTIONS)]
const OF_BOTH: readonly string[] = ['output', 'json', 'accept-edited', 'allow-format', 'suite', 'reports', 'config']

export const batchCommand: Command = {
  name: 'batch',
  usage: ['batch export [RUN] [options] -o REQUESTS.jsonl', 'batch import RUN REPLIES.jsonl [options]'],
  about:
    "Lets a batch service send the requests: export writes the requests of a run in the format of OpenAI's batches, which vllm " +
    'run-batch and others take too; import takes the file of replies into the run. Tasks of one turn are then done; for ' +
    'others export the run again until no request is left.',
  subcommands: {
    export: 'Begin a run, or continue RUN, and write the requests that are due.',
    import: 'Take replies into a run, and score it.',
  },
  subcommandOptions: {
    export: Object.keys(BATCH_OPTIONS).filter((name) => !OF_RESULTS.includes(name)),
    import: [...OF_BOTH, ...OF_RESULTS],
  },
  maxPositionals: 2,
  takesRuns: true,
  options: BATCH_OPTIONS,
  examples: [
    'callspec batch export --model qwen3-8b --repeat 1 -o requests.jsonl',
    'callspec batch import latest replies.jsonl --min parse_rate=0.9',
    'callspec batch export latest -o requests.jsonl',
  ],
  notes: [
    'Exit codes: 0 done and every gate is met; 1 a gate is not met; 2 misuse, or a file that cannot be read; 3 no verdict: ' +
      'episodes have not ended, or too many failed.',
  ],
  run: runBatch,
}

async function runBatch(invocation: Invocation): Promise<ExitCode> {
  const code = invocation.subcommand === 'import' ? 'when-named' : 'run'
  const context = await readEvalContext(invocation, BATCH_OPTIONS, code)
  return invocation.subcommand === 'import' ? importReplies(invocation, context) : exportRequests(invocation, context)
}

async function exportRequests({ positionals, output }: Invocation, context: EvalContext): Promise<ExitCode> {
  const [path, other] = context.given.output
  const [word, extra] = positionals
  if (path === undefined || other !== undefined)
    throw new UsageError('callspec batch export needs one -o FILE for the requests.')
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}". See callspec batch --help`)
  const begun = word === undefined ? await begin(context) : await findRun(word, context)
  const writer = await openLineWriter(path)
  try {
    const count = await exportBatch(begun.folder, {
      write: async (request) => writer.write(JSON.stringify(request)),
      retryErrors: context.options['retry-errors'],
      acceptEdited: context.options['accept-edited'],
      suite: begun.suite,
      ownFormats: begun.ownFormats,
    })
    await writer.commit()
    if (context.options.json) output.line(JSON.stringify({ folder: begun.folder, requests: count, path }))
    else {
      output.line(inert(`${plural(count, 'request')} in ${path}`))
      output.line(inert(`next: callspec batch import ${begun.folder} REPLIES.jsonl`))
    }
    return EXIT.ok
  } finally {
    await writer.discard()
  }
}

interface Begun {
  readonly folder: string
  readonly suite: Suite
  readonly ownFormats: readonly Format[]
}

async function begin(context: EvalContext): Promise<Begun> {
  const failing = await readFailing(context.options)
  const settings = await readSettings(context, { failing, isOffline: true })
  return {
    folder: beginRun({ ...runConfigOf(settings), stream: false }),
    suite: settings.suite,
    ownFormats: settings.ownFormats,
  }
}

async function findRun(word: string, context: EvalContext): Promise<Begun> {
  const reports = context.options.reports ?? 'reports'
  // A run that waits for replies has not ended, so elsewhere `latest` does not mean it.
  const folder = namesLatest(word) ? await lastInterrupted(word, reports, true) : await runFolderOf(word, reports)
  const ownFormats = await loadModulesOf(folder, {
    allowed: context.given['allow-format'],
    whenChanged: refuseChanged(folder),
  })
  const run = openRun(folder, { acceptEdited: context.options['accept-edited'], ownFormats })
  try {
    return { folder, ownFormats, suite: await wholeSuite(run, context) }
  } finally {
    run.close()
  }
}

async function importReplies({ positionals, output }: Invocation, context: EvalContext): Promise<ExitCode> {
  const [word, file] = positionals
  if (word === undefined || file === undefined)
    throw new UsageError('callspec batch import needs a run and the file of replies.')
  const { folder, suite, ownFormats } = await findRun(word, context)
  const [outputs, gates] = [readOutputs(context.options), await readGates(context, ownFormats)]
  const result = await importBatch(folder, file, {
    suite,
    ownFormats,
    acceptEdited: context.options['accept-edited'],
  })
  for (const line of importLines(result)) output.note(line)
  return finishRun(
    { folder, summary: result.summary, leftOut: [] },
    {
      output,
      environment: context.environment,
      outputs,
      gates,
      listsRuns: true,
      ownFormats,
      incomplete:
        result.ended === result.episodes
          ? null
          : `${result.ended} of ${plural(result.episodes, 'episode')} at the end.`,
      ...(result.next > 0 ? { next: `next: callspec batch export ${folder} -o requests.jsonl` } : {}),
    },
  )
}

function importLines({
  imported,
  failed,
  missing,
  firstMissing,
  unused,
  problems,
  next,
}: BatchImport): readonly string[] {
  return [
    `${plural(imported, 'reply', 'replies')} taken, ${failed} of them failures; ${unused} not requested by the run`,
    ...(missing === 0
      ? []
      : [`${plural(missing, 'request')} without a reply, the first is ${quotedLine(firstMissing[0] ?? '', 80)}`]),
    ...problems.map((problem) => quotedLine(problem, 200)),
    ...(next === 0 ? [] : [`${plural(next, 'request')} due now: export again`]),
  ]
}
