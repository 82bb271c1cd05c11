import { join } from 'node:path'
import { REDACTED } from '@callspec/eval'
import { PRESETS, readModelName } from '@callspec/sim'
import { shellWord } from '../output.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { ModelConfig, PriceConfig } from './config/config.ts'
import { isLoopback } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { writtenAddress, DUMMY_KEY, explicitUrls, modelId, OPENAI, modelServer, serverUrls } from './server-of.ts'
import type { ModelSources } from './server-of.ts'

/** A model with everything that a request needs. */
export interface EvalModel {
  /** Its name in reports. */
  readonly id: string
  /** Its name on the server. */
  readonly name: string
  readonly endpoint: Endpoint
  /** Null if unknown. */
  readonly price: PriceConfig | null
  /** Further fields of every request. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The models of a run that names none. */
const SIMULATED: readonly string[] = ['sim/perfect', 'sim/faulty']

/**
 * Finds the models and their servers. A server comes from `--base-url`, then CALLSPEC_BASE_URL, the model, the configuration,
 * OPENAI_BASE_URL, then OpenAI itself if there is a key for it. Simulated models need no server.
 *
 * @throws UsageError for a model without a server
 */
export function readModels(sources: ModelSources): readonly EvalModel[] {
  const { options, config } = sources
  const named = options.model
  if (named.includes('')) throw new UsageError('--model was given an empty text. Name a model or leave it out.')
  if (named.length === 0 && explicitUrls(sources) !== null) {
    throw new UsageError("--base-url needs --model NAME: which of the server's models to ask. GET /models lists them.")
  }
  const described = (config.models ?? []).map((model) => (typeof model === 'string' ? { name: model } : model))
  const twin = described.find(
    (model, index) => described.findIndex((other) => modelId(other) === modelId(model)) < index,
  )
  if (twin !== undefined)
    throw new UsageError(
      `two models of the configuration are called "${modelId(twin)}". Give one of them another "id".`,
    )
  const wanted = [...new Set(named.length === 0 ? SIMULATED : named)]
  return wanted.map((id) => toEvalModel(described.find((model) => modelId(model) === id) ?? { name: id }, sources))
}

/**
 * A model of a recorded run: the recorded server, unless another is named now; key and price as they are given now.
 *
 * @param folder of the run. Its check sums are plain hashes: any program can write an address into it
 * @throws UsageError also for a server on another machine that is named by the folder alone
 */
export function recordedModel(
  recorded: ModelConfig & { readonly id: string },
  { folder, ...sources }: ModelSources & { readonly folder: string },
): EvalModel {
  const found = (sources.config.models ?? []).find(
    (model) => typeof model !== 'string' && modelId(model) === recorded.id,
  )
  const described = typeof found === 'object' ? found : null
  const ownUrl = described?.baseUrl
  const written = ownUrl ?? sources.config.baseUrl
  // Keys and headers of several servers are only in the configuration.
  const isKept = isUnredacted(recorded.baseUrl) && (typeof recorded.baseUrl !== 'object' || written === undefined)
  const baseUrl = isKept ? recorded.baseUrl : (written ?? recorded.baseUrl)
  if (explicitUrls(sources) === null && sources.isOffline !== true) {
    if (!isUnredacted(baseUrl))
      throw new UsageError(
        `the run does not contain the query of its server's address, ${serverUrls(baseUrl).join(', ')}, which may be a key: give --base-url URL.`,
      )
    const unnamed = isKept ? serverUrls(baseUrl).filter((url) => !isNamedNow(url, sources)) : []
    if (unnamed.length > 0)
      throw new UsageError(
        `${folder} alone names the server ${unnamed.join(', ')}, and any program can write one into a run folder. To use it: ${unnamed.map((url) => `--base-url ${url}`).join(' ')}`,
      )
  }
  const model = { ...described, ...recorded, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const online = { ...sources, isOffline: false }
  return toEvalModel(model, isKept ? { ...online, addressFile: join(folder, 'run.json') } : online, ownUrl)
}

/** Whether an address is local, or a new run would go there without naming it on the command line. */
function isNamedNow(url: string, { config, environment, foundIn }: ModelSources): boolean {
  if (!URL.canParse(url) || isLoopback(url)) return true
  const variable = foundIn.has('OPENAI_BASE_URL') ? '' : (environment['OPENAI_BASE_URL'] ?? '')
  const written = [config, ...(config.models ?? [])].flatMap((each) =>
    typeof each === 'string' ? [] : serverUrls(each.baseUrl),
  )
  const known = [...written, variable === '' ? OPENAI : variable]
  return known.some((each) => URL.canParse(each) && urlWithoutQuery(each) === urlWithoutQuery(url))
}

function urlWithoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

function isUnredacted(urls: ModelConfig['baseUrl']): boolean {
  return !serverUrls(urls).some((url) => url.includes(REDACTED))
}

/** Whether the caller gave a key for a server. */
export function hasKey(endpoint: Endpoint): boolean {
  return endpoint.kind === 'server' && endpoint.apiKey !== DUMMY_KEY
}

function toEvalModel(model: ModelConfig, sources: ModelSources, ownUrl = model.baseUrl): EvalModel {
  return {
    id: modelId(model),
    name: model.name,
    endpoint: endpointOf(model, sources, ownUrl),
    price: model.price ?? null,
    parameters: { ...sources.config.parameters, ...model.parameters },
  }
}

/** @param ownUrl the model's own server, which does not receive the headers of the others */
function endpointOf(model: ModelConfig, sources: ModelSources, ownUrl: ModelConfig['baseUrl']): Endpoint {
  if (sources.isOffline === true) return { kind: 'elsewhere' }
  const address = writtenAddress(model, sources)
  if (address === null && model.name.startsWith('sim/')) {
    checkSimulated(model.name)
    return { kind: 'simulated' }
  }
  return modelServer(model, { address, sources, ownUrl })
}

function checkSimulated(model: string): void {
  const read = readModelName(model)
  if (read.kind === 'model') return
  const names = model.split(',').map((name) => name.trim())
  if (names.length > 1 && names.every((name) => readModelName(name).kind === 'model'))
    throw new UsageError(
      `--model names one model. Give it for each: ${names.map((name) => `-m ${shellWord(name)}`).join(' ')}`,
    )
  const { unknownWord } = read
  const hint = unknownWord === null ? '' : didYouMean(unknownWord.word, unknownWord.known)
  if (read.kind === 'invalid') throw new UsageError(`${read.message}${hint}`)
  throw new UsageError(
    `--model "${model}" is not a simulated model.${hint} Known: ${[...PRESETS.keys()].join(', ')}, and sim/oracle?fault=F03:0.1 and the like; others need --base-url URL.`,
  )
}
