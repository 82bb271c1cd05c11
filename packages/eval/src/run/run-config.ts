import { readFileSync } from 'node:fs'
import type { Format } from '@callspec/core'
import { DEFAULT_PATIENCE_MS } from '../client/breaker.ts'
import type { EndpointHeaders } from '../client/redact.ts'
import { REDACTED } from '../client/redact.ts'
import type { FormatName } from '../trace/format-names.ts'
import { DEFAULT_FORMAT_NAMES, recordedNameOf, formatId } from '../trace/format-names.ts'
import { evalFormat, formatsOver, formatsWith } from '../formats/table.ts'
import type { FormatTable } from '../formats/eval-format.ts'
import { conversationOf } from '../formats/conversation.ts'
import { withForgedTexts } from '../formats/forged-text.ts'
import { SCORER_VERSION } from '../score/scores.ts'
import type { Price } from '../metrics/figures.ts'
import { loadBuiltInSuite } from '../suite/read-suite.ts'
import { sha256 } from '../text/json.ts'
import type { Suite, Task } from '../trace/task.ts'
import { offeredTools } from '../trace/task.ts'
import { newManifest } from '../store/manifest.ts'
import type { EvalApi } from '../trace/eval-api.ts'
import type { PromptChoice, RequestSettings, RunManifest, Shard } from '../trace/run-manifest.ts'
import { RunError } from '../trace/run-error.ts'
import type { BaseUrls, ResolvedEndpoint, ResolvedEndpoints } from './resolve-endpoints.ts'
import { recordedServers, resolveEndpoints, withoutSecrets } from './resolve-endpoints.ts'
import type { StoredRun } from '../store/open-run.ts'
import { suiteText } from '../store/stored-suite.ts'
import { ownFile } from '../text/own-file.ts'

/** A model of a run. */
export interface RunModelConfig {
  readonly name: string
  /** The name in reports; default: `name`. No two models of a run may have the same. */
  readonly id?: string
  /** The server, up to /v1, if it is not that of the run; or several with the same models. */
  readonly baseUrl?: BaseUrls
  readonly apiKey?: string
  /** Sent with every request, in addition to those of the run. Never written to a file. */
  readonly headers?: EndpointHeaders
  /** Further fields of every request, in addition to those of the run. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** The models, formats, tasks and servers of a run. */
export interface RunConfig {
  readonly models: readonly (string | RunModelConfig)[]
  /** The server of the models that name none, up to /v1; or several with the same models. */
  readonly baseUrl?: BaseUrls
  /** Whether a run is refused if its endpoints have different builds or models. */
  readonly sameBuild?: boolean
  /** Whether that server ends with the run: then its address is of no use later. */
  readonly isSimulated?: boolean
  /** Its key; `EMPTY` when absent, which local servers accept. */
  readonly apiKey?: string
  /** Sent with every request of the models without their own server. Never written to a file. */
  readonly headers?: EndpointHeaders
  /**
   * Ids, or the names in run folders; one such as `native@messages` is asked over that API. Default: those of `DEFAULT_FORMATS` that the
   * API can send.
   */
  readonly formats?: readonly string[]
  /** The older name of `formats`. */
  readonly protocols?: readonly string[]
  /** Formats of the user, played if `formats` names them. */
  readonly ownFormats?: readonly Format[]
  /** The files of `ownFormats`, for the run folder. */
  readonly modules?: RunManifest['modules'] & object
  /** Default: the built-in one. */
  readonly suite?: Suite
  /** Ids of the tasks, played in the order of the suite. Default: all. */
  readonly tasks?: readonly string[]
  /** Passes over the tasks; pass k uses seed + k. Default: 1. */
  readonly repeat?: number
  /** Default: 0. */
  readonly seed?: number
  /** The parts of the plan to play; all when absent. */
  readonly shard?: Shard | null
  /** Default: on. */
  readonly stops?: 'on' | 'off'
  /** Default: chat. */
  readonly api?: EvalApi
  /** Whose prompt is used for formats with several. Default: maker. */
  readonly prompt?: PromptChoice
  /** Default: true. */
  readonly stream?: boolean
  /** Further fields of every request. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /** Episodes at a time. Changes only the duration. Default: 4. */
  readonly concurrency?: number
  /** Time limit for one completion, in milliseconds. Default: 120 000. */
  readonly timeoutMs?: number
  /** How often a failed request is repeated. Default: 3. */
  readonly maxRetries?: number
  /**
   * How long an unavailable server that has answered before is waited for, in milliseconds; 0 ends the run at once. Default:
   * `DEFAULT_PATIENCE_MS`.
   */
  readonly waitForServerMs?: number
  /** Prices of tokens, by the id of the model; the cost of others is unknown. */
  readonly prices?: Readonly<Record<string, Price>>
  /** The folder of all run folders; without it nothing is written. */
  readonly reports?: string | null
  /** Whether the umask decides who may read the run folder. Default: only its owner may. */
  readonly sharedFolder?: boolean
}

/** A model with its endpoints and settings. */
export interface ResolvedModel extends Pick<ResolvedEndpoint, 'baseUrl' | 'apiKey' | 'headers'> {
  readonly id: string
  /** All endpoints that serve it; the first one is the one above. */
  readonly endpoints: ResolvedEndpoints
  readonly settings: RequestSettings
}

/** A config with its defaults, its tasks and its manifest. */
export interface ResolvedConfig {
  readonly suite: Suite
  readonly tasks: readonly Task[]
  readonly models: ReadonlyMap<string, ResolvedModel>
  readonly formats: FormatTable
  readonly manifest: RunManifest
  /** The content of `suite.json`. */
  readonly suiteFile: string
  readonly stream: boolean
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly waitForServerMs: number
  /** The address of the simulated models of this process; null without them. */
  readonly simulatedUrl: string | null
}

/**
 * Adds defaults, tasks and manifest.
 *
 * @throws RunError for an unknown task, two models of one id, or a plan without an episode
 */
export function resolveConfig(config: RunConfig, startedAt: Date): ResolvedConfig {
  const { suite: given = loadBuiltInSuite(), api = 'chat', stream = true } = config
  const table = formatsWith(config.ownFormats ?? [])
  const formats = chosenFormats(api, config.formats ?? config.protocols, table)
  const { concurrency = 4, timeoutMs = 120_000, maxRetries = 3, repeat = 1, seed = 0, shard = null } = config
  const { waitForServerMs = DEFAULT_PATIENCE_MS } = config
  const limits = { concurrency, timeoutMs, maxRetries, waitForServerMs }
  const suite = withForgedTexts(given, { formats, table })
  const tasks = chosenTasks(suite, config.tasks)
  const models = resolveModels(config)
  if (models.size * formats.length * tasks.length * repeat === 0)
    throw new RunError('the plan is empty: it needs at least one model, one format, one task and one pass')
  const prompt = config.prompt ?? 'maker'
  checkShown(tasks, { suite, formats, table, prompt })
  const suiteFile = suiteText(suite, tasks)
  const manifest = newManifest({
    callspec: ownVersion(),
    scorer: SCORER_VERSION,
    suite: { name: suite.name, version: suite.version, sha256: suite.hash, stored: sha256(suiteFile) },
    models: [...models.keys()],
    protocols: formats,
    hosts: Object.fromEntries(formats.map((name) => [name, evalFormat(name, table).profile])),
    ...(config.modules === undefined ? {} : { modules: config.modules }),
    tasks: tasks.map((task) => task.id),
    seed,
    repeat,
    shard,
    stops: config.stops ?? 'on',
    api,
    prompt,
    stream,
    parameters: byModel(models, ({ settings }) => settings.parameters),
    endpoints: byModel(models, ({ baseUrl, endpoints, settings: { name } }) => ({
      name,
      baseUrl: config.isSimulated === true ? 'simulated' : withoutSecrets(baseUrl),
      ...(endpoints.length === 1 ? {} : { all: recordedServers(endpoints) }),
    })),
    startedAt: startedAt.toISOString(),
    settings: {
      ...limits,
      prices: config.prices ?? {},
      headers: headerNames(models),
    },
  })
  const simulatedUrl = config.isSimulated === true && typeof config.baseUrl === 'string' ? config.baseUrl : null
  return { suite, tasks, models, formats: table, manifest, suiteFile, stream, ...limits, simulatedUrl }
}

/** The config of a recorded run that continues: the plan, the names and the addresses. No folder contains keys. */
export function configOf({ manifest, suite, folder }: StoredRun): RunConfig {
  if (suite.hasOwnTools)
    throw new RunError(`${folder} uses tools that are code: give the configuration that it was begun with`)
  const {
    models,
    endpoints,
    parameters,
    protocols,
    modules,
    repeat,
    seed,
    shard,
    stops,
    api,
    stream,
    prompt = 'maker',
  } = manifest
  const addresses = Object.values(endpoints).flatMap(({ baseUrl, all = [] }) => [
    baseUrl,
    ...all.map((each) => each.baseUrl),
  ])
  if (addresses.some((baseUrl) => baseUrl.includes(REDACTED)))
    throw new RunError(
      `${folder} does not hold the query of its server's address, which may be a key: give the configuration`,
    )
  return {
    models: models.map((id) => ({
      id,
      name: endpoints[id]?.name ?? id,
      baseUrl: endpoints[id]?.all ?? endpoints[id]?.baseUrl ?? '',
      parameters: parameters[id] ?? {},
    })),
    ...{ suite, formats: protocols, repeat, seed, shard, stops, api, stream, prompt },
    ...(modules === undefined ? {} : { modules }),
  }
}

function chosenFormats(api: EvalApi, given: readonly string[] | undefined, table: FormatTable): readonly FormatName[] {
  const names = given?.map((name) => recordedNameOf(name) ?? name)
  const able = formatsOver(api, names ?? DEFAULT_FORMAT_NAMES, table)
  const unable = names?.find((name) => !able.includes(name))
  if (unable === undefined) return able
  throw new RunError(
    `the format ${formatId(unable)} cannot be asked for over /${api}: leave it out, or take the API chat`,
  )
}

interface Shown {
  readonly suite: Suite
  readonly formats: readonly FormatName[]
  readonly table: FormatTable
  readonly prompt: PromptChoice
}

/** @throws RunError for a conversation that a format of the plan cannot show, which would be taken for a failing server */
function checkShown(tasks: readonly Task[], { suite, formats, table, prompt }: Shown): void {
  const talks = tasks.filter(({ messages }) => messages !== undefined)
  for (const name of talks.length === 0 ? [] : formats) {
    const { createHost } = evalFormat(name, table)
    const refused = talks.flatMap((task) => {
      const { lang: language, maxModelCalls } = task
      const host = createHost({ model: '', tools: offeredTools(suite, task), language, maxModelCalls, seed: 0, prompt })
      const { action } = host.loop.start(conversationOf(task))
      const reason = action.type === 'finish' ? (action.error?.message ?? action.reason) : null
      return reason === null ? [] : [{ id: task.id, reason }]
    })
    const [first] = refused
    if (first === undefined) continue
    const which =
      refused.length === 1 ? JSON.stringify(first.id) : `${refused.length} tasks, first ${JSON.stringify(first.id)}`
    throw new RunError(
      `the format ${formatId(name)} cannot be asked with the earlier messages of ${which} (${first.reason}): leave out the format, or such tasks`,
    )
  }
}

function chosenTasks(suite: Suite, ids: readonly string[] | undefined): readonly Task[] {
  if (ids === undefined) return suite.tasks
  const known = new Set(suite.tasks.map((task) => task.id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw new RunError(`the suite ${suite.name} has no task ${JSON.stringify(unknown)}`)
  const wanted = new Set(ids)
  return suite.tasks.filter((task) => wanted.has(task.id))
}

function resolveModels(config: RunConfig): ReadonlyMap<string, ResolvedModel> {
  const models = new Map<string, ResolvedModel>()
  for (const given of config.models) {
    const { name, id = name, ...own } = typeof given === 'string' ? { name: given } : given
    const isOwn = own.baseUrl !== undefined && own.baseUrl !== config.baseUrl
    if (models.has(id)) throw new RunError(`two models are called ${JSON.stringify(id)}: give one another id`)
    const endpoints = resolveEndpoints(own.baseUrl ?? config.baseUrl ?? '', {
      apiKey: own.apiKey ?? config.apiKey,
      headers: { ...(isOwn ? {} : config.headers), ...own.headers },
    })
    const [{ baseUrl, apiKey, headers }] = endpoints
    models.set(id, {
      ...{ id, baseUrl, apiKey, headers, endpoints },
      settings: {
        name,
        parameters: { ...config.parameters, ...own.parameters },
        stops: config.stops ?? 'on',
        api: config.api ?? 'chat',
        prompt: config.prompt ?? 'maker',
      },
    })
  }
  return models
}

/** The names of the headers of each model that has some; their values are never written. */
function headerNames(models: ReadonlyMap<string, ResolvedModel>): Readonly<Record<string, readonly string[]>> {
  const names = [...models].map(
    ([id, { endpoints }]) => [id, [...new Set(endpoints.flatMap(({ headers }) => Object.keys(headers)))]] as const,
  )
  return Object.fromEntries(names.filter(([, own]) => own.length > 0))
}

function byModel<T>(
  models: ReadonlyMap<string, ResolvedModel>,
  read: (model: ResolvedModel) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries([...models].map(([id, model]) => [id, read(model)]))
}

function ownVersion(): string {
  const text = readFileSync(ownFile('package.json'), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
