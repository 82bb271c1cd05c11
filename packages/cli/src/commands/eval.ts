import {
  compareWithLedger,
  DEFAULT_PROTOCOLS,
  EvalAborted,
  loadBuiltInSuite,
  PROTOCOLS,
  runEval,
  RunError,
  startSimServer,
} from '@callspec/eval'
import type { EvalSummary, PlayedEpisode, Protocol, RunEvent, SimServer, Suite, Task } from '@callspec/eval'
import type { Command, Invocation, Options } from '../command.ts'
import { printEval } from '../eval/print-eval.ts'
import { endpointOf } from '../eval/endpoint.ts'
import type { Endpoint } from '../eval/endpoint.ts'
import { abortText, failedRequests, failedRequestsText } from '../eval/failed-requests.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { messageOf, UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'eval',
  usage: ['eval [--model NAME ...] [--base-url URL] [--protocol NAME ...] [options]'],
  about:
    'Lets a model solve the 42 built-in tasks with 21 tools under each protocol and compares: how many calls could be ' +
    'parsed, how many episodes came to an end by themselves, how many tasks were solved. Without options it runs two ' +
    'simulated models, one perfect and one with known faults, over real HTTP on 127.0.0.1: no key, no network.',
  options: {
    model: {
      help: 'Model to ask. Default: the simulated ones, sim/perfect and sim/faulty.',
      value: 'NAME',
      short: 'm',
      repeat: true,
    },
    'base-url': { help: 'OpenAI-compatible server, up to /v1. Default: OPENAI_BASE_URL.', value: 'URL' },
    protocol: {
      help:
        'fncall-qwen, fncall-nous, react (the default: these three), or role-react: the model picks a tool by its number, ' +
        'as a role of MetaGPT does, and is then asked for the arguments.',
      value: 'NAME',
      short: 'p',
      repeat: true,
      choices: PROTOCOLS,
    },
    limit: { help: 'Only the first N tasks.', value: 'N', short: 'n' },
    filter: { help: 'Only tasks whose id matches, such as "^P".', value: 'REGEXP' },
    lang: { help: 'Only tasks in these languages: en, zh or en,zh.', value: 'LANG' },
    repeat: { help: 'Passes over the tasks; pass k asks with seed + k. Default 1.', value: 'N' },
    seed: { help: 'Seed of the first pass. Default 0.', value: 'N' },
    'max-concurrency': { help: 'Episodes at a time. Changes nothing but the time. Default 4.', value: 'N', short: 'j' },
    timeout: { help: 'Seconds until a completion counts as failed. Default 120.', value: 'SECONDS' },
    'max-retries': {
      help: 'How often a request is repeated after 408, 409, 429, 5xx and network errors. Default 3.',
      value: 'N',
    },
    stream: { help: 'Ask for streamed replies (the default), or with --no-stream for whole ones.', negatable: true },
    out: { help: 'Folder for run folders. Default: reports.', value: 'DIR', short: 'o' },
    json: { help: 'Print the summary as JSON instead of tables.' },
  },
  examples: [
    'callspec eval',
    'callspec eval --filter "^P" --protocol react --model sim/faulty',
    'callspec eval -p fncall-nous -p react -p role-react',
    'callspec eval --model qwen3-8b --base-url http://127.0.0.1:8000/v1 -j 8',
  ],
  notes: [
    'OPENAI_API_KEY holds the key; local servers need none. The run folder holds run.json, turns.jsonl (every completion, written before it counts), episodes.jsonl, summary.json, report.md and report.html.',
    'Exit codes: 0 the run is complete; 1 a simulated model was measured otherwise than it was made; 2 misuse, no server, a refused key; 3 more than 5 % of the episodes failed on the way to the server; 130 after Ctrl-C, with everything so far in turns.jsonl.',
  ],
  run,
}

const SIMULATED = ['sim/perfect', 'sim/faulty']
/** Beyond this share of infrastructure errors a comparison says nothing. */
const MAX_INFRA_SHARE = 0.05

interface Settings {
  readonly endpoint: Endpoint
  readonly models: readonly string[]
  readonly protocols: readonly Protocol[]
  readonly tasks: readonly Task[]
  readonly repeat: number
  readonly seed: number
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly stream: boolean
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  const suite = loadBuiltInSuite()
  const settings = settingsOf(invocation, suite)
  const parent = options.text('out') ?? 'reports'
  const server = settings.endpoint.kind === 'simulated' ? await startSimServer() : null
  const interrupt = listenForInterrupt()
  const heard: Heard = { folder: null, episodes: [] }
  try {
    const summary = await play({ settings, suite, parent, server, signal: interrupt.signal, output, heard })
    output.progressDone()
    printEval({ summary, settings, folder: heard.folder ?? parent, asJson: options.flag('json') }, output)
    return verdictOf(summary, { episodes: heard.episodes, settings, output })
  } catch (error) {
    return failed(error, { folder: heard.folder, settings, invocation, isInterrupted: interrupt.signal.aborted })
  } finally {
    interrupt.stop()
    await server?.close()
  }
}

/** What the run told so far. */
interface Heard {
  folder: string | null
  readonly episodes: PlayedEpisode[]
}

function settingsOf({ options, environment }: Invocation, suite: Suite): Settings {
  const given = options.list('model')
  if (given.includes('')) throw new UsageError('--model was given an empty text. Name a model or leave it out.')
  const models = [...new Set(given.length === 0 ? SIMULATED : given)]
  const asked: readonly string[] = options.list('protocol')
  const wanted = asked.length === 0 ? DEFAULT_PROTOCOLS : asked
  const protocols = PROTOCOLS.filter((protocol) => wanted.includes(protocol))
  return {
    endpoint: endpointOf({ models, isModelGiven: given.length > 0, baseUrl: options.text('base-url'), environment }),
    models,
    protocols,
    tasks: selectTasks(options, suite),
    repeat: options.integer('repeat', { min: 1, max: 1000 }) ?? 1,
    seed: options.integer('seed', { min: 0, max: 2 ** 30 }) ?? 0,
    concurrency: options.integer('max-concurrency', { min: 1, max: 1024 }) ?? 4,
    timeoutMs: (options.number('timeout', { min: 0.001, max: 86_400 }) ?? 120) * 1000,
    maxRetries: options.integer('max-retries', { min: 0, max: 100 }) ?? 3,
    stream: options.choice('stream') ?? true,
  }
}

function selectTasks(options: Options, suite: Suite): readonly Task[] {
  const filter = options.text('filter')
  const languages = options.text('lang')?.split(',')
  const unknown = languages?.find((language) => language !== 'en' && language !== 'zh')
  if (unknown !== undefined) throw new UsageError(`--lang "${unknown}" is unknown. Known: en, zh.`)
  const pattern = filter === null ? null : regularExpression(filter)
  const limit = options.integer('limit', { min: 1 }) ?? suite.tasks.length
  const tasks = suite.tasks
    .filter((task) => (pattern?.test(task.id) ?? true) && (languages?.includes(task.lang) ?? true))
    .slice(0, limit)
  if (tasks.length === 0)
    throw new UsageError(
      `no task is left to run: --filter ${JSON.stringify(filter ?? '')}, --lang ${languages?.join(',') ?? 'en,zh'}. Ids look like S01, P06, T04.`,
    )
  return tasks
}

function regularExpression(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new UsageError(`--filter "${text}" is no regular expression (${messageOf(error)})`)
  }
}

interface Play {
  readonly settings: Settings
  readonly suite: Suite
  readonly parent: string
  readonly server: SimServer | null
  readonly signal: AbortSignal
  readonly output: Output
  readonly heard: Heard
}

function play({ settings, suite, parent, server, signal, output, heard }: Play): Promise<EvalSummary> {
  const { endpoint, tasks, ...rest } = settings
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'folder') heard.folder = event.folder
    else if (event.type === 'ended') output.progress(`${event.done} of ${event.of} episodes`)
    else if (event.type === 'scored') heard.episodes.push(event.episode)
  }
  return runEval(
    {
      ...rest,
      suite,
      tasks: tasks.map((task) => task.id),
      baseUrl: endpoint.kind === 'simulated' ? (server?.baseUrl ?? '') : endpoint.baseUrl,
      apiKey: endpoint.kind === 'simulated' ? 'EMPTY' : endpoint.apiKey,
      isSimulated: server !== null,
      reports: parent,
    },
    {
      signal,
      onEvent,
      ...(server === null
        ? {}
        : {
            ledger: (episodes) =>
              compareWithLedger(
                episodes.map(({ score }) => score),
                server.ledger(),
              ),
          }),
    },
  )
}

/** The first Ctrl-C ends the run in order; the second one is Node's. */
function listenForInterrupt(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  return {
    signal: controller.signal,
    stop: () => {
      process.off('SIGINT', abort)
      process.off('SIGTERM', abort)
    },
  }
}

interface Played {
  readonly episodes: readonly PlayedEpisode[]
  readonly settings: Settings
  readonly output: Output
}

function verdictOf({ ledger }: EvalSummary, { episodes, settings, output }: Played): ExitCode {
  const failures = failedRequests(episodes)
  const isBroken = failures !== null && failures.episodes > episodes.length * MAX_INFRA_SHARE
  if (failures !== null) {
    const text = failedRequestsText(failures, settings.endpoint, episodes.length)
    if (isBroken) output.note(`callspec: ${text}`)
    else output.warn(text)
  }
  if (ledger !== null && ledger.differences.length > 0) return EXIT.disagreement
  return isBroken ? EXIT.broken : EXIT.ok
}

interface FailedRun {
  readonly folder: string | null
  readonly settings: Settings
  readonly invocation: Invocation
  readonly isInterrupted: boolean
}

function failed(error: unknown, { folder, settings, invocation: { output }, isInterrupted }: FailedRun): ExitCode {
  if (isInterrupted) {
    output.note(
      folder === null
        ? 'callspec: stopped before the first reply'
        : `callspec: stopped. Every reply so far is in ${folder}/turns.jsonl`,
    )
    return EXIT.interrupted
  }
  if (error instanceof EvalAborted) throw new UsageError(abortText(error, settings.endpoint, settings.models))
  if (error instanceof RunError) throw new UsageError(error.message)
  throw error
}
