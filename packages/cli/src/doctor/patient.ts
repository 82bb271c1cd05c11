import type { EndpointHeaders } from '@callspec/eval'
import { checkUrl } from '../eval/endpoint.ts'
import { headersOf } from '../eval/headers.ts'
import { headerSources, modelsOf } from '../eval/models.ts'
import type { ModelSources } from '../eval/models.ts'
import { UsageError } from '../usage-error.ts'

/** Who is examined. */
export interface Patient {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: EndpointHeaders
  readonly model: string | null
}

/** Null for a simulated model. */
export function patientOf(model: string | null, sources: ModelSources): Patient | null {
  if (model === null) return { ...serverAlone(sources), model: null }
  const [found] = modelsOf({ ...sources, options: { ...sources.options, model: [model] } })
  if (found === undefined || found.endpoint.kind !== 'server') return null
  const { baseUrl, apiKey, headers } = found.endpoint
  return { baseUrl, apiKey, headers, model: found.name }
}

/** The address alone, without a model. */
function serverAlone(sources: ModelSources): Omit<Patient, 'model'> {
  const { options, environment } = sources
  const baseUrl = options['base-url'].at(-1) ?? (environment['OPENAI_BASE_URL'] || null)
  if (baseUrl === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  checkUrl(baseUrl)
  const variable = options['api-key-env'] ?? 'OPENAI_API_KEY'
  const headers = headersOf(sources.config.headers ?? {}, headerSources(sources))
  return { baseUrl, apiKey: environment[variable] || 'EMPTY', headers }
}
