import type { Format } from '@callspec/core'
import type { StoredRun, Suite } from '@callspec/eval'
import { openRun, REDACTED, redactedUrl } from '@callspec/eval'
import type { OptionSpec } from '../command.ts'
import { shellWord } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { isLoopback } from './endpoint.ts'
import type { EvalOptionName, EvalOptions } from './eval-options.ts'
import { isGiven } from './eval-options.ts'
import { forgedReferences, hasForgedTexts } from './injection.ts'
import type { EvalModel } from './models.ts'
import { recordedModel } from './models.ts'
import { loadModulesOf, refuseChanged } from './module-formats.ts'
import { EVAL_OPTIONS } from './options.ts'
import { lastInterrupted, namesLatest, runFolderOf } from './run-names.ts'
import type { EvalSettings, Resumed } from './settings.ts'
import { readPatience, readSuite } from './settings.ts'
import type { EvalContext } from './context.ts'
import { modelSources } from './context.ts'

/** Options of the plan, which a resumed run has already. */
export const PLAN_OPTIONS: readonly EvalOptionName[] = [
  ...([
    'model',
    'format',
    'protocol',
    'limit',
    'filter',
    'filter-category',
    'filter-failing',
    'lang',
    'repeat',
    'seed',
    'shard',
  ] as const),
  ...(['max-calls', 'max-tokens', 'stream', 'stops', 'api', 'prompt', 'dry-run'] as const),
]

export interface ResumedRun {
  readonly resume: Resumed
  readonly settings: EvalSettings
  /** Names of headers that the run was begun with and that are not given now. */
  readonly missingHeaders: readonly string[]
}

/**
 * The plan of the folder of `--resume`, with servers, keys and patience as given now; null without `--resume`.
 *
 * @throws UsageError if there is no such run, and for options that would change the plan
 */
export async function readResume(context: EvalContext): Promise<ResumedRun | null> {
  const { options, given } = context
  const word = options.resume
  const retryErrors = options['retry-errors']
  const acceptEdited = options['accept-edited']
  if (word === null) {
    if (acceptEdited) throw new UsageError('--accept-edited needs --resume [RUN]: which run was edited.')
    if (isGiven(given, 'allow-format'))
      throw new UsageError('--allow-format needs --resume [RUN]; a new run takes the module as --format FILE.')
    if (retryErrors) throw new UsageError('--retry-errors needs --resume [RUN]: which run is to be repeated.')
    return null
  }
  const changed = PLAN_OPTIONS.find((name) => isGiven(given, name))
  if (changed !== undefined) {
    throw new UsageError(`--resume goes on with the plan of the folder: leave out --${changed}.`)
  }
  const reports = options.reports ?? 'reports'
  const isBare = word === '' || namesLatest(word)
  const folder = isBare ? await lastInterrupted(word, reports, retryErrors) : await runFolderOf(word, reports)
  const ownFormats = await loadModulesOf(folder, { allowed: given['allow-format'], whenChanged: refuseChanged(folder) })
  const run = openRun(folder, { acceptEdited, ownFormats })
  try {
    const settings = await resumedSettings(run, ownFormats, context)
    const missing = missingHeaders(run.manifest, settings)
    return { resume: { folder, retryErrors, acceptEdited }, settings, missingHeaders: missing }
  } finally {
    run.close()
  }
}

/** A run folder has only the names of headers. */
function missingHeaders({ settings: { headers } }: StoredRun['manifest'], { models }: EvalSettings): readonly string[] {
  const missing = models.flatMap(({ id, endpoint }) => {
    if (endpoint.kind !== 'server') return []
    const names = endpoint.all.flatMap(({ headers = {} }) => Object.keys(headers))
    const given = new Set(names.map((name) => name.toLowerCase()))
    return headerNames(headers, id).filter((name) => !given.has(name.toLowerCase()))
  })
  return [...new Set(missing)]
}

function headerNames(headers: unknown, id: string): readonly string[] {
  const own: unknown =
    typeof headers === 'object' && headers !== null
      ? Object.entries(headers).find(([model]) => model === id)?.[1]
      : null
  return Array.isArray(own) ? own.filter((name) => typeof name === 'string') : []
}

async function resumedSettings(
  { manifest, suite, folder }: StoredRun,
  ownFormats: readonly Format[],
  context: EvalContext,
): Promise<EvalSettings> {
  const { models, protocols, modules, repeat, seed, shard, stops, api, stream, tasks, prompt = 'maker' } = manifest
  const ids = new Set(tasks)
  return {
    ...readPatience(context.options),
    models: models.map((id) => resumedModel(id, { manifest, folder }, context)),
    ...{ formats: protocols, ownFormats, repeat, seed, shard, stops, api, stream, prompt },
    ...(modules === undefined ? {} : { modules }),
    // It is in the parameters of the models.
    maxTokens: null,
    suite: await wholeSuite({ suite, folder }, context),
    // Simulated models need the tasks of other suites.
    references: await resumedReferences(suite, context),
    tasks: suite.tasks.filter((task) => ids.has(task.id)),
    leftOut: [],
    unloaded: [],
  }
}

async function resumedReferences(suite: Suite, context: EvalContext): Promise<EvalSettings['references']> {
  if (hasForgedTexts(suite)) return forgedReferences(suite)
  return suite.name === 'built-in' ? null : (await readSuite(context)).references
}

/**
 * The suite of a recorded run with its tools. Tools that are code are not in the folder: --suite is read again.
 *
 * @throws UsageError if it has changed
 */
export async function wholeSuite(
  { suite: stored, folder }: Pick<StoredRun, 'suite' | 'folder'>,
  context: EvalContext,
): Promise<Suite> {
  if (!stored.hasOwnTools) return stored
  const { hash, toolbox } = (await readSuite(context)).suite
  if (hash === stored.hash && toolbox !== undefined) return { ...stored, toolbox }
  throw new UsageError(
    `${folder} was begun with the tools of the suite ${stored.name}, as it was: give --suite FILE, and --tools or --mcp if it had them.`,
  )
}

function resumedModel(
  id: string,
  { manifest, folder }: Pick<StoredRun, 'manifest' | 'folder'>,
  context: EvalContext,
): EvalModel {
  const { endpoints, parameters } = manifest
  const { name = id, baseUrl = 'simulated', all } = endpoints[id] ?? {}
  const recorded = { id, name, ...(baseUrl === 'simulated' ? {} : { baseUrl: all ?? baseUrl }) }
  const { replay, strict } = context.options
  const sources = { ...modelSources(context), folder, isOffline: replay !== null && strict }
  return { ...recordedModel(recorded, sources), parameters: parameters[id] ?? {} }
}

/** Options that the folder has, or that apply only to a new run. */
const NOT_REPEATED: ReadonlySet<string> = new Set<string>([
  ...PLAN_OPTIONS,
  'resume',
  'record',
  'watch',
  'allow-format',
])

/**
 * The command that resumes a run: the folder, and every given option that is not in it. `…` replaces secrets.
 */
export function resumeCommand(folder: string, { given, configPath, modules }: ResumeWith): string {
  const options = Object.entries(EVAL_OPTIONS).flatMap(([name, spec]) =>
    NOT_REPEATED.has(name) ? [] : optionWords(name, spec, given),
  )
  const config = configPath === null || given.config !== null ? [] : [`-c ${shellWord(configPath)}`]
  const formats = modules.map((path) => `--allow-format ${shellWord(path)}`)
  return ['callspec eval --resume', shellWord(folder), ...config, ...formats, ...options].join(' ')
}

export interface ResumeWith {
  /** Only those of the command line. */
  readonly given: EvalOptions
  /** The configuration, if it was named without --config. */
  readonly configPath: string | null
  /** The modules of its own formats: a run folder alone loads none. */
  readonly modules: readonly string[]
}

function optionWords(name: string, { negatable }: OptionSpec, given: EvalOptions): readonly string[] {
  const value = given[name as EvalOptionName]
  if (value === null || (value === false && negatable !== true)) return []
  if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${name}`]
  const values = typeof value === 'object' ? value : [String(value)]
  return shownValues(name, values).map((each) => `--${name} ${shellWord(each)}`)
}

/** Without local addresses, which the folder has. */
function shownValues(name: string, values: readonly string[]): readonly string[] {
  if (name === 'header') return values.map(withoutValue)
  if (name === 'queue') return values.map((value) => value.replace(/(?<=^[a-z]+:\/\/).*@/i, '…@'))
  if (name !== 'base-url') return values
  const urls = values.map(redactedUrl)
  const isNeeded = values.some((url) => redactedUrl(url).includes(REDACTED) || !isLoopback(url))
  return isNeeded ? urls.map((url) => url.replaceAll(REDACTED, '…')) : []
}

/** References to variables are not secret. */
function withoutValue(header: string): string {
  const [name = ''] = header.split(':', 1)
  const value = header.slice(name.length + 1).trim()
  return /^(?:(?:Bearer|Basic)\s+)?\$\{\w+\}$/i.test(value) ? header : `${name}: …`
}
