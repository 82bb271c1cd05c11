import { redactedUrl } from '@callspec/eval'
import type { EndpointHeaders } from '@callspec/eval'
import { isLoopback } from '../eval/endpoint.ts'
import type { Endpoint } from '../eval/endpoint.ts'
import { modelsOf } from '../eval/models.ts'
import { addressOf, openAiAddress, serverOf } from '../eval/server-of.ts'
import type { ModelSources } from '../eval/server-of.ts'
import { variableOf } from '../layered-options.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** The endpoint that is examined. */
export interface ExaminedEndpoint {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: EndpointHeaders
  readonly model: string | null
  readonly endpoint: ServerEndpoint
}

type ServerEndpoint = Extract<Endpoint, { readonly kind: 'server' }>

/** Null for a simulated model. */
export function examinedEndpoint(model: string | null, sources: ModelSources): ExaminedEndpoint | null {
  if (model === null) return examined(serverAlone(sources), null)
  const [found] = modelsOf({ ...sources, options: { ...sources.options, model: [model] } })
  return found === undefined || found.endpoint.kind !== 'server' ? null : examined(found.endpoint, found.name)
}

function examined(endpoint: ServerEndpoint, model: string | null): ExaminedEndpoint {
  const { baseUrl, apiKey, headers } = endpoint
  return { baseUrl, apiKey, headers, model, endpoint }
}

/** The address alone, without a model. */
function serverAlone(sources: ModelSources): ServerEndpoint {
  const address = addressOf({}, sources) ?? openAiAddress(sources, '')
  if (address === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  return serverOf({ name: '' }, { address, sources, ownUrl: undefined })
}

/** How keys may be sent. */
export interface NamedKeyOptions {
  /** Whether keys may go over plain http to other machines. */
  readonly allowsHttp: boolean
  readonly output: Output
}

/**
 * The same as `examinedEndpoint`, but a key is sent only where the caller named its variable: a user who tries one server after another may
 * have the key of a different one in the environment.
 *
 * @throws UsageError also for a key that would go over plain http
 */
export function endpointWithNamedKey(
  model: string | null,
  sources: ModelSources,
  { allowsHttp, output }: NamedKeyOptions,
): ExaminedEndpoint | null {
  const { given, environment, options } = sources
  const named = given['api-key-env'] ?? (environment[variableOf('api-key-env')] || options['api-key-env'])
  const { OPENAI_API_KEY: key, ...others } = environment
  if (named !== null && (environment[named] ?? '') === '' && /^\w+$/.test(named))
    throw new UsageError(`the variable ${named}, which is to hold the key, is not set.`)
  const endpoint = examinedEndpoint(model, named === null ? { ...sources, environment: others } : sources)
  if (endpoint === null) return null
  const { apiKey, headers, baseUrl } = endpoint
  if (named === null && (key ?? '') !== '' && apiKey === NO_KEY)
    output.note('callspec: no key is sent. To send the one in OPENAI_API_KEY: --api-key-env OPENAI_API_KEY')
  const hasSecret = apiKey !== NO_KEY || Object.keys(headers).length > 0
  if (!allowsHttp && hasSecret && new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl))
    throw new UsageError(
      `the key would go to ${redactedUrl(baseUrl)} in the clear. Give an https address, or say --key-over-http.`,
    )
  return endpoint
}

const NO_KEY = 'EMPTY'
