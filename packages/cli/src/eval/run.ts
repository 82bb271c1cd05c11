import type { EvalAborted, EvalSummary, RunEvent, RunLimits } from '@callspec/eval'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Interrupt } from '../environment.ts'
import { listenForInterrupt } from '../environment.ts'
import { checkQueueOptions, checkQueueSettings, playOverQueue } from '../queue/evaluate.ts'
import { queueOf } from '../queue/options.ts'
import { UsageError } from '../usage-error.ts'
import { announceEndpoints } from './endpoint.ts'
import { isGiven } from './eval-options.ts'
import type { FailedRequests } from './failed-requests.ts'
import { abortText, createFailedRequests } from './failed-requests.ts'
import type { Outputs } from './finish.ts'
import { finishRun, readOutputs } from './finish.ts'
import type { Gates } from './gates.ts'
import { failedCode, readGates } from './gates.ts'
import { dryRun, limitsOf, printDryRun, promptNotes } from './plan.ts'
import type { Stores } from './play.ts'
import { openStores, playRun } from './play.ts'
import { hasForgedTexts } from './injection.ts'
import { createProgress } from './progress.ts'
import { readResume, resumeCommand } from './resume.ts'
import { readFailing } from './select-tasks.ts'
import type { EvalSettings, Resumed } from './settings.ts'
import { readSettings } from './settings.ts'
import type { EvalContext } from './context.ts'
import { repeatOnChange } from './watch.ts'

/** What is known before the first request. */
interface Prepared {
  readonly invocation: Invocation
  readonly context: EvalContext
  readonly settings: EvalSettings
  readonly resume: Resumed | null
  readonly outputs: Outputs
  readonly gates: Gates
  readonly limits: RunLimits
}

/** What a run has shown so far, also if it ends early. */
interface Observed {
  /** Its folder; null before it is made. */
  folder: string | null
  readonly failures: FailedRequests
}

/**
 * Plays a run, writes its results and judges its gates; with --watch again after every change.
 *
 * @param read called before every run
 */
export async function runEvaluation(invocation: Invocation, read: () => Promise<EvalContext>): Promise<ExitCode> {
  const first = await read()
  const { options, config } = first
  if (!options.watch) return runEvalOnce(invocation, first)
  const files = [config.path, options.suite].filter((file) => file !== null)
  let known: EvalContext | null = first
  return repeatOnChange(files, invocation.output, async () => {
    const context = known ?? (await read())
    known = null
    return runEvalOnce(invocation, context)
  })
}

async function runEvalOnce(invocation: Invocation, context: EvalContext): Promise<ExitCode> {
  const { output } = invocation
  const prepared = await prepare(invocation, context)
  if (context.options['dry-run']) return printPlan(prepared)
  announceAndWarn(prepared)
  const observed: Observed = { folder: null, failures: createFailedRequests() }
  const stores = openStores(context.options, output)
  const interrupt = listenForInterrupt(output)
  try {
    const summary = await playOrQueue(prepared, { observed, interrupt, stores })
    output.progressDone()
    const code = await finishEval(prepared, summary, observed)
    stores.report(output)
    return code
  } catch (error) {
    output.progressDone()
    if (interrupt.drain.aborted) return interrupted(observed, prepared)
    if (isAbort(error)) return await stoppedEarly(error, prepared, observed)
    if (error instanceof Error && error.name === 'RunStopped') return keptReplies(error.message, prepared, observed)
    throw error
  } finally {
    interrupt.stop()
    stores.close()
  }
}

/** Reads and checks everything that the command line and the configuration ask for, so that a mistake costs no request. */
async function prepare(invocation: Invocation, context: EvalContext): Promise<Prepared> {
  const { options } = context
  const { output } = invocation
  const hasQueue = queueOf(options) !== null
  // Throws for a wrong number in the variable.
  failedCode(context.environment)
  const outputs = readOutputs(options)
  if (hasQueue) checkQueueOptions(options)
  const resumed = await readResume(context)
  for (const name of resumed?.missingHeaders ?? [])
    output.warn(`the run was begun with the header ${name}, which is not given now: --header '${name}: …'`)
  const settings = resumed?.settings ?? (await newSettings(invocation, context))
  if (hasQueue) checkQueueSettings(settings)
  if (settings.formats.length > 0) for (const said of promptNotes(settings)) output.warn(said)
  const gates = await readGates(context, settings.ownFormats)
  const limits = limitsOf(options, settings.models)
  return { invocation, context, settings, resume: resumed?.resume ?? null, outputs, gates, limits }
}

/**
 * The settings of a run that is not resumed. Tasks that forge texts need what the servers show of themselves; not with a tape, which has to
 * be asked the same with or without a server.
 */
async function newSettings(invocation: Invocation, context: EvalContext): Promise<EvalSettings> {
  const { options } = context
  const failing = await readFailing(options)
  const settings = await readSettings(context, { failing, isOffline: isOffline(context) })
  const hasTape = options.record !== null || options.replay !== null || options.cache === true
  if (!hasForgedTexts(settings.suite) || options['dry-run'] || hasTape) return settings
  const { withServerFacts } = await import('./injection-servers.ts')
  return withServerFacts(settings, invocation.output)
}

function printPlan({ invocation: { output }, settings, outputs }: Prepared): ExitCode {
  const plan = dryRun(settings)
  if (outputs.printed === 'json') output.line(JSON.stringify(plan, null, 2))
  else printDryRun(plan, output)
  return EXIT.ok
}

/** Says which servers get which keys, before they do. Over a queue, workers send the requests with their own. */
function announceAndWarn({ invocation: { output }, context, settings, resume }: Prepared): void {
  const endpoints = settings.models.map(({ endpoint }) => endpoint)
  const sendsRequests = !isOffline(context) && queueOf(context.options) === null
  if (sendsRequests) announceEndpoints(endpoints, { output, isResumed: resume !== null })
  if (context.options.cache === true && !isGiven(context.given, 'cache'))
    output.warn(
      'cache in the configuration is deprecated: use --replay FILE, which records what is missing on the tape',
    )
}

/** What is open while a run is played. */
interface RunHandles {
  readonly observed: Observed
  readonly interrupt: Interrupt
  readonly stores: Stores
}

/** With --replay and --strict every reply is on the tape. */
function isOffline({ options }: EvalContext): boolean {
  return options.replay !== null && options.strict
}

function playOrQueue(
  { invocation, context: { options }, settings, resume, outputs, limits }: Prepared,
  { observed, interrupt, stores }: RunHandles,
): Promise<EvalSummary> {
  const prices = new Map(settings.models.map(({ id, price }) => [id, price]))
  const progress = createProgress({
    ...{ output: invocation.output, prices, inPipes: outputs.verbose },
    clock: () => performance.now(),
  })
  const onEvent = (event: RunEvent): void => {
    progress(event)
    if (event.type === 'folder') observed.folder = event.folder
    if (event.type === 'scored' && event.episode.score.end === 'infra_error') observed.failures.add(event.episode.trace)
  }
  const queue = queueOf(options)
  const control = { resume, interrupt, onEvent, stores, limits }
  return queue === null ? playRun(settings, control) : playOverQueue(settings, control, { queue, options, invocation })
}

function finishEval(prepared: Prepared, summary: EvalSummary, observed: Observed): Promise<ExitCode> {
  const { invocation, context, settings, outputs, gates } = prepared
  const episodes = summary.rows.reduce((sum, row) => sum + row.episodes, 0)
  return finishRun(
    { folder: observed.folder ?? settings.reports, summary, leftOut: settings.leftOut },
    {
      output: invocation.output,
      environment: context.environment,
      outputs,
      gates,
      ownFormats: settings.ownFormats,
      listsRuns: true,
      failures: observed.failures.text(settings.models, episodes),
    },
  )
}

/** By name: the package of the queue throws classes of its own copy of eval. */
function isAbort(error: unknown): error is EvalAborted {
  return error instanceof Error && error.name === 'EvalAborted'
}

/** @throws UsageError if there is no reply to keep: then the command is probably wrong */
async function stoppedEarly(error: EvalAborted, prepared: Prepared, { folder }: Observed): Promise<ExitCode> {
  const { settings, resume } = prepared
  const why = await abortText(error, settings.models)
  if (folder === null || (error.answered === 0 && resume === null)) throw new UsageError(why)
  return keptReplies(why, prepared, { folder })
}

/** The run has not ended; its replies are kept. */
function keptReplies(
  why: string,
  { invocation, context, settings }: Prepared,
  { folder }: Pick<Observed, 'folder'>,
): ExitCode {
  invocation.output.note(`callspec: ${why}`)
  if (folder === null) return EXIT.broken
  const command = commandAfter(folder, { invocation, context, settings })
  invocation.output.note(
    `callspec: stopped early. Every reply so far is in ${folder}/turns.jsonl; go on with ${command}`,
  )
  return EXIT.broken
}

function commandAfter(
  folder: string,
  { invocation, context, settings }: Pick<Prepared, 'invocation' | 'context' | 'settings'>,
): string {
  const configPath = context.config.path !== null ? (invocation.positionals[0] ?? null) : null
  return resumeCommand(folder, {
    ...{ given: context.given, configPath },
    modules: settings.modules === undefined ? [] : Object.values(settings.modules).map(({ path }) => path),
  })
}

function interrupted({ folder }: Observed, prepared: Prepared): ExitCode {
  prepared.invocation.output.note(
    folder === null
      ? 'callspec: stopped before the first reply'
      : `callspec: stopped. Every reply so far is in ${folder}/turns.jsonl; go on with ${commandAfter(folder, prepared)}`,
  )
  return EXIT.interrupted
}
