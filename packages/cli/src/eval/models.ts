import { REDACTED } from '@callspec/eval'
import type { EndpointConfig } from '@callspec/eval'
import { PRESETS, readModelName } from '@callspec/sim'
import type { Invocation } from '../command.ts'
import type { EvalOptions } from './eval-options.ts'
import { variableOf } from '../layered-options.ts'
import { didYouMean } from '../nearest.ts'
import { UsageError } from '../usage-error.ts'
import type { EndpointEntry, EvalConfig, ModelConfig, PriceConfig } from './config/config.ts'
import { checkUrl } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { headersOf } from './headers.ts'
import type { HeaderSources } from './headers.ts'

/** A model with everything that asking it needs. */
export interface EvalModel {
  /** What reports call it. */
  readonly id: string
  /** What the server is asked for. */
  readonly name: string
  readonly endpoint: Endpoint
  /** Null: unknown. */
  readonly price: PriceConfig | null
  /** Further fields of every request. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Asked when nobody names a model. */
const SIMULATED: readonly string[] = ['sim/perfect', 'sim/faulty']

/** What servers on this machine take for a key. */
const DUMMY_KEY = 'EMPTY'

/** Where models are named. */
export interface ModelSources {
  /** Flags, variables and the configuration, in layers. */
  readonly options: EvalOptions
  /** Flags alone. */
  readonly given: EvalOptions
  readonly environment: Invocation['environment']
  readonly config: EvalConfig
  /** Whether replies come from a tape or a batch service, and nobody is asked here. */
  readonly isOffline?: boolean
}

/**
 * Finds out who is to be asked. Servers: `--base-url`, then CALLSPEC_BASE_URL, then that of the model or of the whole
 * configuration, then OPENAI_BASE_URL, then OpenAI itself if there is a key for it. Simulated models need no server,
 * unless one is named.
 *
 * @throws UsageError for a model that nobody serves
 */
export function modelsOf(sources: ModelSources): readonly EvalModel[] {
  const { options, config } = sources
  const named = options.model
  if (named.includes('')) throw new UsageError('--model was given an empty text. Name a model or leave it out.')
  if (named.length === 0 && explicitUrls(sources) !== null) {
    throw new UsageError("--base-url needs --model NAME: which of the server's models to ask. GET /models lists them.")
  }
  const described = (config.models ?? []).map((model) => (typeof model === 'string' ? { name: model } : model))
  const twin = described.find((model, index) => described.findIndex((other) => idOf(other) === idOf(model)) < index)
  if (twin !== undefined)
    throw new UsageError(`two models of the configuration are called "${idOf(twin)}". Give one of them another "id".`)
  const wanted = [...new Set(named.length === 0 ? SIMULATED : named)]
  return wanted.map((id) => modelOf(described.find((model) => idOf(model) === id) ?? { name: id }, sources))
}

/** A model of a recorded run: the server of the record, unless another is named now; key and price as they are given now. */
export function recordedModel(recorded: ModelConfig & { readonly id: string }, sources: ModelSources): EvalModel {
  const found = (sources.config.models ?? []).find((model) => typeof model !== 'string' && idOf(model) === recorded.id)
  const described = typeof found === 'object' ? found : null
  const ownUrl = described?.baseUrl
  const written = ownUrl ?? sources.config.baseUrl
  // Of several, the configuration alone has the keys and headers.
  const isKept = isWhole(recorded.baseUrl) && (typeof recorded.baseUrl !== 'object' || written === undefined)
  const baseUrl = isKept ? recorded.baseUrl : (written ?? recorded.baseUrl)
  if (!isWhole(baseUrl) && explicitUrls(sources) === null) {
    throw new UsageError(
      `the run does not hold the query of its server's address, ${urlsOf(baseUrl).join(', ')}, which may be a key: give --base-url URL.`,
    )
  }
  return modelOf({ ...described, ...recorded, ...(baseUrl === undefined ? {} : { baseUrl }) }, sources, ownUrl)
}

function isWhole(urls: ModelConfig['baseUrl']): boolean {
  return !urlsOf(urls).some((url) => url.includes(REDACTED))
}

function urlsOf(urls: ModelConfig['baseUrl']): readonly string[] {
  return entriesOf(urls ?? []).map(({ baseUrl }) => baseUrl)
}

function entriesOf(urls: ModelConfig['baseUrl'] & {}): readonly EndpointEntry[] {
  return (typeof urls === 'string' ? [urls] : urls).map((each) => (typeof each === 'string' ? { baseUrl: each } : each))
}

/** Whether the caller gave a key for a server. */
export function hasKey(endpoint: Endpoint): boolean {
  return endpoint.kind === 'server' && endpoint.apiKey !== DUMMY_KEY
}

function idOf(model: ModelConfig): string {
  return model.id ?? model.name
}

function modelOf(model: ModelConfig, sources: ModelSources, ownUrl = model.baseUrl): EvalModel {
  return {
    id: idOf(model),
    name: model.name,
    endpoint: endpointOf(model, sources, ownUrl),
    price: model.price ?? null,
    parameters: { ...sources.config.parameters, ...model.parameters },
  }
}

/** @param ownUrl the server that the model has for itself: the headers of the others are none of its business */
function endpointOf(model: ModelConfig, sources: ModelSources, ownUrl: ModelConfig['baseUrl']): Endpoint {
  if (sources.isOffline === true) return { kind: 'elsewhere' }
  const written = explicitUrls(sources) ?? model.baseUrl ?? sources.config.baseUrl ?? null
  if (written === null && model.name.startsWith('sim/')) {
    checkSimulated(model.name)
    return { kind: 'simulated' }
  }
  const { key, variable } = keyOf(model, sources)
  const fallback = key === '' ? null : 'https://api.openai.com/v1'
  const urls = written ?? (sources.environment['OPENAI_BASE_URL'] || fallback)
  if (urls === null) {
    throw new UsageError(`--model ${model.name} needs a server: give --base-url URL or set OPENAI_BASE_URL`)
  }
  const common = { ...(ownUrl === undefined ? sources.config.headers : {}), ...model.headers }
  const all = entriesOf(urls).map((entry): EndpointConfig & Pick<Asked, 'apiKey' | 'headers'> => {
    const { baseUrl, apiKeyEnv, headers, ...share } = entry
    checkUrl(baseUrl)
    const own = apiKeyEnv === undefined ? key : variableWith(apiKeyEnv, { of: baseUrl, ...sources })
    const sent = headersOf({ ...common, ...headers }, headerSources(sources))
    return { ...share, baseUrl, apiKey: own === '' ? DUMMY_KEY : own, headers: sent }
  })
  const [first] = all
  if (first === undefined) throw new UsageError(`--model ${model.name} needs a server: "baseUrl" is an empty list`)
  const { baseUrl, apiKey, headers } = first
  return { kind: 'server', baseUrl, apiKey, headers, keyVariable: variable, all }
}

type Asked = Extract<Endpoint, { readonly kind: 'server' }>

/** What else says which headers are sent. */
export function headerSources({ given, environment }: ModelSources): HeaderSources {
  return { header: given.header, environment }
}

/** The servers that the command line or a variable of ours names for all models; null for none. */
function explicitUrls({ given, environment }: ModelSources): readonly string[] | null {
  const variable = environment[variableOf('base-url')] ?? ''
  const named = given['base-url'].length > 0 ? given['base-url'] : variable.split(',').map((url) => url.trim())
  const urls = named.filter((url) => url !== '' || given['base-url'].length > 0)
  return urls.length === 0 ? null : urls
}

function keyOf(
  model: ModelConfig,
  { options, given, environment }: ModelSources,
): { readonly key: string; readonly variable: string } {
  const explicit = given['api-key-env'] ?? (environment[variableOf('api-key-env')] || null)
  const named = explicit ?? model.apiKeyEnv ?? options['api-key-env']
  if (named === null) return { key: environment['OPENAI_API_KEY'] ?? '', variable: 'OPENAI_API_KEY' }
  return { key: variableWith(named, { of: idOf(model), environment }), variable: named }
}

/** The key that a variable holds. @throws UsageError where it is not set, or holds the name itself */
function variableWith(
  name: string,
  { of, environment }: { readonly of: string; readonly environment: ModelSources['environment'] },
): string {
  const key = environment[name] ?? ''
  if (key !== '') return key
  if (/^sk-|[^\w]/.test(name)) {
    throw new UsageError('--api-key-env takes the name of a variable, not a key. Put the key into the variable.')
  }
  throw new UsageError(`the variable ${name}, which is to hold the key of ${of}, is not set.`)
}

function checkSimulated(model: string): void {
  const read = readModelName(model)
  if (read.kind === 'model') return
  const { unknownWord } = read
  const hint = unknownWord === null ? '' : didYouMean(unknownWord.word, unknownWord.known)
  if (read.kind === 'invalid') throw new UsageError(`${read.message}${hint}`)
  throw new UsageError(
    `--model "${model}" is no simulated model.${hint} Known: ${[...PRESETS.keys()].join(', ')}, and sim/oracle?fault=F03:0.1 and the like; others need --base-url URL.`,
  )
}
