import type { EndpointHeaders } from '@callspec/eval'
import { redactedUrl } from '@callspec/eval'
import type { Endpoint } from '../eval/endpoint.ts'
import { isLoopback } from '../eval/endpoint.ts'
import { readModels } from '../eval/models.ts'
import type { ModelSources } from '../eval/server-of.ts'
import { modelServer, openAiAddress, writtenAddress } from '../eval/server-of.ts'
import { variableOf } from '../layered-options.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** A server to examine, with what its requests need. */
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
  if (model === null) return examinedWith(serverAlone(sources), null)
  const [found] = readModels({ ...sources, options: { ...sources.options, model: [model] } })
  return found === undefined || found.endpoint.kind !== 'server' ? null : examinedWith(found.endpoint, found.name)
}

function examinedWith(endpoint: ServerEndpoint, model: string | null): ExaminedEndpoint {
  const { baseUrl, apiKey, headers } = endpoint
  return { baseUrl, apiKey, headers, model, endpoint }
}

function serverAlone(sources: ModelSources): ServerEndpoint {
  const address = writtenAddress({}, sources) ?? openAiAddress(sources, '')
  if (address === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  return modelServer({ name: '' }, { address, sources, ownUrl: undefined })
}

export interface NamedKeyOptions {
  /** --key-over-http */
  readonly allowsHttp: boolean
  readonly output: Output
}

/**
 * As `examinedEndpoint`, but a key is sent only if the command line names its variable: the environment may have the key of another
 * server.
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
    throw new UsageError(`the variable ${named}, which should contain the key, is not set.`)
  const endpoint = examinedEndpoint(model, named === null ? { ...sources, environment: others } : sources)
  if (endpoint === null) return null
  const { apiKey, headers, baseUrl } = endpoint
  if (named === null && (key ?? '') !== '' && apiKey === NO_KEY)
    output.note('callspec: no key is sent. To send the one in OPENAI_API_KEY: --api-key-env OPENAI_API_KEY')
  const hasSecret = apiKey !== NO_KEY || Object.keys(headers).length > 0
  if (!allowsHttp && hasSecret && new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl))
    throw new UsageError(
      `the key would go to ${redactedUrl(baseUrl)} in the clear. Give an https address, or add --key-over-http.`,
    )
  return endpoint
}

const NO_KEY = 'EMPTY'
