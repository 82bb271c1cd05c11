import type { Format } from '@callspec/core'
import type {
  FormatName,
  RunConfig,
  RunEvent,
  RunLimits,
  RunManifest,
  RunModelConfig,
  Shard,
  Suite,
} from '@callspec/eval'
import type { EvalApi } from '@callspec/eval'
import { EVAL_APIS, FORMAT_NAMES, formatOver, formatsOver, recordedNameOf } from '@callspec/eval'
import { durationFrom } from '../arguments.ts'
import type { Interrupt } from '../environment.ts'
import { admitModule } from '../found-files.ts'
import { isModulePath } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import { writtenFormats } from './config/read-config.ts'
import type { EvalOptions } from './eval-options.ts'
import { withForged } from './injection.ts'
import type { EvalModel } from './models.ts'
import { readModels } from './models.ts'
import { loadModules } from './module-formats.ts'
import type { TaskSelection } from './select-tasks.ts'
import { selectTasks } from './select-tasks.ts'
import type { LoadedSuite, SuiteReading } from './suite-file.ts'
import { offeredBy, readSuiteFile, suiteFrom } from './suite-file.ts'
import type { EvalContext } from './context.ts'
import { fileSetting, modelSources } from './context.ts'

/** Settings that change no reply: time and place. */
export interface Patience {
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly waitForServerMs: number
  readonly delayMs: number
  /** Whether servers that share the work must run the same build. */
  readonly sameBuild: boolean
  readonly reports: string
  /** Whether others may read the run folder, as the umask allows. */
  readonly sharedFolder: boolean
}

export interface EvalSettings extends TaskSelection, Patience {
  readonly models: readonly EvalModel[]
  readonly formats: readonly FormatName[]
  /** The user's formats among them. */
  readonly ownFormats: readonly Format[]
  /** Modules of formats that --dry-run leaves unloaded. */
  readonly unloaded: readonly string[]
  /** The modules of the user's formats; absent without one. */
  readonly modules?: RunManifest['modules'] & object
  /** With the limit of --max-calls. */
  readonly suite: Suite
  /** How simulated models solve the suite; null for the built-in one. */
  readonly references: LoadedSuite['references']
  readonly repeat: number
  readonly seed: number
  readonly shard: Shard | null
  readonly stops: 'on' | 'off'
  readonly api: EvalApi
  /** Whose prompt is sent. */
  readonly prompt: 'maker' | 'callspec'
  readonly stream: boolean
  readonly maxTokens: number | null
}

/** The run folder that --resume continues. */
export interface Resumed {
  readonly folder: string
  readonly retryErrors: boolean
  readonly acceptEdited: boolean
}

/** How a run begins, who watches it, and what ends it early. */
export interface RunControl {
  /** Null for a new run. */
  readonly resume: Resumed | null
  readonly interrupt: Interrupt
  readonly onEvent: (event: RunEvent) => void
  readonly limits: RunLimits
}

/** Enough to see that a model's replies vary. */
const DEFAULT_REPEAT = 3

/**
 * @param how.failing ids of the tasks of --filter-failing; null for all
 * @param how.isOffline whether no request is sent here, so that models need no server
 * @throws UsageError for invalid settings
 */
export async function readSettings(
  context: EvalContext,
  { failing, isOffline }: { readonly failing: ReadonlySet<string> | null; readonly isOffline: boolean },
): Promise<EvalSettings> {
  const { options } = context
  const loaded = await readSuite(context)
  const names = wantedFormats(context)
  const paths = names.filter(isModulePath)
  const isDry = context.rules.code === 'never'
  if (!isDry) for (const path of new Set(paths)) await admitFormat(path, context)
  const { ownFormats, modules } = isDry ? { ownFormats: [], modules: {} } : await loadModules(paths)
  const wanted = [...names.flatMap((name) => recordedNameOf(name) ?? []), ...Object.keys(modules)]
  const shard = options.shard
  const models = readModels({ ...modelSources(context), isOffline })
  const apis = apisGiven(options)
  checkApis(apis, models)
  const chosen = [...FORMAT_NAMES, ...ownFormats.map(({ id }) => id)].filter((name) => wanted.includes(name))
  const formats = formatsOverAll(apis, names.length === 0 ? null : chosen)
  const { suite, references } = withForged(loaded, { formats, ownFormats })
  const selection = selectTasks(options, suite, failing)
  return {
    models,
    formats,
    ownFormats,
    unloaded: isDry ? [...new Set(paths)] : [],
    ...(Object.keys(modules).length === 0 ? {} : { modules }),
    suite,
    references,
    ...selection,
    repeat: options.repeat ?? DEFAULT_REPEAT,
    seed: options.seed ?? 0,
    shard: shard === null ? null : shardFrom(shard),
    stops: options.stops === 'off' ? 'off' : 'on',
    api: apis[0],
    prompt: options.prompt === 'callspec' ? 'callspec' : 'maker',
    stream: options.stream ?? true,
    maxTokens: options['max-tokens'],
    ...readPatience(options),
  }
}

/** Of --format and --protocol; the configuration counts if the command line names none. */
function wantedFormats({ options, config }: EvalContext): readonly string[] {
  const [formats, older] = [options.format, options.protocol]
  const written = writtenFormats(config) ?? []
  const isWritten = formats.length === written.length && formats.every((name, at) => name === written[at])
  const names = older.length === 0 ? formats : isWritten ? older : [...formats, ...older]
  return names.flatMap((name) => name.split(','))
}

async function admitFormat(path: string, context: EvalContext): Promise<void> {
  const isOlder = context.options.protocol.some((names) => names.split(',').includes(path))
  const by = fileSetting(context, isOlder ? 'protocol' : 'format')
  if (by !== null) await admitModule(path, by, context.rules)
}

const WAIT = { min: 0, max: 86_400_000 } as const

/** @throws UsageError for an invalid time */
export function readPatience(options: EvalOptions): Patience {
  return {
    concurrency: options['max-concurrency'] ?? 4,
    timeoutMs: durationFrom('--timeout', options.timeout ?? '120', { min: 1, max: 86_400_000 }),
    maxRetries: options['max-retries'] ?? 3,
    waitForServerMs: durationFrom('--wait-for-server', options['wait-for-server'] ?? '2m', WAIT),
    delayMs: durationFrom('--delay', options.delay ?? '0', { min: 0, max: 3_600_000 }),
    sameBuild: options['same-build'],
    reports: folderOf(options.reports ?? 'reports'),
    sharedFolder: options['shared-folder'],
  }
}

/**
 * The suite of --suite, else of the configuration, else the built-in one.
 *
 * @throws UsageError with file and line for a suite that is wrong
 */
export async function readSuite(context: EvalContext): Promise<LoadedSuite> {
  const {
    options,
    config: { config, path },
    rules,
  } = context
  const named = options.suite
  const isInline = named === null && typeof config.suite === 'object'
  const by = fileSetting(context, 'suite')
  const reading: SuiteReading = {
    offered: await offeredBy(options),
    loadsTools: rules.code !== 'never',
    // Trust in a configuration includes the suite that it names, with its modules.
    admit: async (module, suite) => {
      if (by !== null && suite !== null && by.path !== path)
        throw new UsageError(
          `${by.path}: names the suite ${suite}, whose tools are the code ${module}. If you trust it: --suite ${suite}`,
        )
      const namer = by ?? (suite === null ? null : { path: suite, isFound: false })
      if (namer !== null) await admitModule(module, namer, rules)
    },
  }
  const loaded = isInline
    ? await suiteFrom(config.suite, { path: path ?? '', place: () => path ?? '', reading })
    : await readSuiteFile(named, reading)
  const maxCalls = options['max-calls']
  if (maxCalls === null) return loaded
  const { suite } = loaded
  return { ...loaded, suite: { ...suite, tasks: suite.tasks.map((task) => ({ ...task, maxModelCalls: maxCalls })) } }
}

/** @throws UsageError for an API that no server is asked over, and for several without a server */
function checkApis(apis: readonly EvalApi[], models: readonly EvalModel[]): void {
  const other = models.find(({ endpoint }) => endpoint.kind !== 'server')
  if (other === undefined) return
  if (apis.length > 1)
    throw new UsageError(
      `--api ${apis.join(',')} needs a server: simulated models and batches are asked over one API (${other.id}).`,
    )
  const api = apis.find((each) => each !== 'chat' && each !== 'completions')
  if (api === undefined) return
  throw new UsageError(
    `--api ${api} needs a server: simulated models and batches answer over chat and completions alone (${other.id}).`,
  )
}

function apisGiven(options: EvalOptions): readonly [EvalApi, ...(readonly EvalApi[])] {
  const [first, ...more] = EVAL_APIS.filter((api) => options.api.includes(api))
  return first === undefined ? ['chat'] : [first, ...more]
}

/**
 * The formats of the plan, each over each API where there are several.
 *
 * @param chosen null for the default ones that an API can send
 */
function formatsOverAll(apis: readonly EvalApi[], chosen: readonly string[] | null): readonly string[] {
  const [only, ...more] = apis
  if (only !== undefined && more.length === 0) return chosen ?? formatsOver(only)
  const names = chosen ?? [...new Set(apis.flatMap((api) => formatsOver(api)))]
  return names.flatMap((name) =>
    apis.filter((api) => chosen !== null || formatsOver(api).includes(name)).map((api) => formatOver(name, api)),
  )
}

function folderOf(path: string): string {
  if (path === '') throw new UsageError('--reports was given an empty text. Name a folder or leave it out.')
  return path
}

/** The settings for `runEval`, without the servers of simulated models. */
export function runConfigOf(settings: EvalSettings): RunConfig {
  return {
    models: settings.models.map(runModel),
    formats: settings.formats,
    ownFormats: settings.ownFormats,
    ...(settings.modules === undefined ? {} : { modules: settings.modules }),
    sameBuild: settings.sameBuild,
    suite: settings.suite,
    tasks: settings.tasks.map((task) => task.id),
    repeat: settings.repeat,
    seed: settings.seed,
    shard: settings.shard,
    stops: settings.stops,
    api: settings.api,
    prompt: settings.prompt,
    stream: settings.stream,
    parameters: settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens },
    concurrency: settings.concurrency,
    timeoutMs: settings.timeoutMs,
    maxRetries: settings.maxRetries,
    waitForServerMs: settings.waitForServerMs,
    prices: Object.fromEntries(settings.models.flatMap(({ id, price }) => (price === null ? [] : [[id, price]]))),
    reports: settings.reports,
    sharedFolder: settings.sharedFolder,
  }
}

function runModel({ id, name, endpoint, parameters }: EvalModel): RunModelConfig {
  switch (endpoint.kind) {
    case 'simulated':
      return { id, name, parameters }
    case 'elsewhere':
      return { id, name, parameters, baseUrl: 'elsewhere' }
    case 'server':
      return endpoint.all.length > 1
        ? { id, name, parameters, baseUrl: endpoint.all }
        : { id, name, parameters, baseUrl: endpoint.baseUrl, apiKey: endpoint.apiKey, headers: endpoint.headers }
  }
}

/**
 * Reads `2/8`: the second of eight parts.
 *
 * @throws UsageError for anything else
 */
export function shardFrom(text: string): Shard {
  const [, part = '', of = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  const [number, parts] = [Number(part), Number(of)]
  if (part !== '' && number >= 1 && number <= parts) return { of: parts, parts: [number] }
  throw new UsageError(`--shard must be I/N with I from 1 to N, such as 2/8, got "${text}"`)
}
