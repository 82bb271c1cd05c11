import type { Format } from '@callspec/core'
import { openRun } from '@callspec/eval'
import type { StoredRun, Suite } from '@callspec/eval'
import { UsageError } from '../usage-error.ts'
import { isGiven } from './eval-options.ts'
import type { EvalOptionName } from './eval-options.ts'
import { recordedModel } from './models.ts'
import { modelSources } from './server-of.ts'
import type { EvalModel } from './models.ts'
import { loadModulesOf, refuseChanged } from './module-formats.ts'
import type { Resumed } from './play.ts'
import { lastInterrupted, namesLatest, runFolderOf } from './run-names.ts'
import { readPatience, readSuite } from './settings.ts'
import type { EvalSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** Options that say what is asked. A run that goes on has said so already. */
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

/** A run that goes on: where, and what it was asked to do. */
export interface ResumedRun {
  readonly resume: Resumed
  readonly settings: EvalSettings
  /** Headers that the run was begun with and that are not given now: a name each. */
  readonly missingHeaders: readonly string[]
}

/**
 * What `--resume` is to go on with: the plan of the folder, with servers, keys and patience as they are given now. Null when
 * nothing is resumed.
 *
 * @throws UsageError for a folder that is none, and for options that would change the plan
 */
export async function readResume(surroundings: Surroundings): Promise<ResumedRun | null> {
  const { options, given } = surroundings
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
    const settings = await settingsOf(run, ownFormats, surroundings)
    const missing = missingHeaders(run.manifest, settings)
    return { resume: { folder, retryErrors, acceptEdited }, settings, missingHeaders: missing }
  } finally {
    run.close()
  }
}

/** A run folder holds the names of headers alone. */
function missingHeaders({ settings: { headers } }: StoredRun['manifest'], { models }: EvalSettings): readonly string[] {
  const missing = models.flatMap(({ id, endpoint }) => {
    if (endpoint.kind !== 'server') return []
    const names = endpoint.all.flatMap(({ headers = {} }) => Object.keys(headers))
    const given = new Set(names.map((name) => name.toLowerCase()))
    return namesOf(headers, id).filter((name) => !given.has(name.toLowerCase()))
  })
  return [...new Set(missing)]
}

function namesOf(headers: unknown, id: string): readonly string[] {
  const own: unknown =
    typeof headers === 'object' && headers !== null
      ? Object.entries(headers).find(([model]) => model === id)?.[1]
      : null
  return Array.isArray(own) ? own.filter((name) => typeof name === 'string') : []
}

async function settingsOf(
  { manifest, suite, folder }: StoredRun,
  ownFormats: readonly Format[],
  surroundings: Surroundings,
): Promise<EvalSettings> {
  const { models, protocols, modules, repeat, seed, shard, stops, api, stream, tasks, prompt = 'maker' } = manifest
  const ids = new Set(tasks)
  return {
    ...readPatience(surroundings.options),
    models: models.map((id) => modelOf(id, { manifest, folder }, surroundings)),
    ...{ formats: protocols, ownFormats, repeat, seed, shard, stops, api, stream, prompt },
    ...(modules === undefined ? {} : { modules }),
    // Stands among the parameters of the models.
    maxTokens: null,
    suite: await wholeSuite({ suite, folder }, surroundings),
    // Whoever solved the tasks of another suite has to be told them again.
    references: suite.name === 'built-in' ? null : (await readSuite(surroundings)).references,
    tasks: suite.tasks.filter((task) => ids.has(task.id)),
    leftOut: [],
    unloaded: [],
  }
}

/**
 * The suite of a recorded run with its tools. Those that are code are not in the folder: their suite is read again.
 *
 * @throws UsageError when it is not the same any more
 */
export async function wholeSuite(
  { suite: stored, folder }: Pick<StoredRun, 'suite' | 'folder'>,
  surroundings: Surroundings,
): Promise<Suite> {
  if (!stored.hasOwnTools) return stored
  const { hash, toolbox } = (await readSuite(surroundings)).suite
  if (hash === stored.hash && toolbox !== undefined) return { ...stored, toolbox }
  throw new UsageError(`${folder} was begun with the tools of the suite ${stored.name}, as it was: give --suite FILE.`)
}

function modelOf(
  id: string,
  { manifest, folder }: Pick<StoredRun, 'manifest' | 'folder'>,
  surroundings: Surroundings,
): EvalModel {
  const { endpoints, parameters } = manifest
  const { name = id, baseUrl = 'simulated', all } = endpoints[id] ?? {}
  const recorded = { id, name, ...(baseUrl === 'simulated' ? {} : { baseUrl: all ?? baseUrl }) }
  const { replay, strict } = surroundings.options
  const sources = { ...modelSources(surroundings), folder, isOffline: replay !== null && strict }
  return { ...recordedModel(recorded, sources), parameters: parameters[id] ?? {} }
}
