import type { EndpointHeaders } from '@callspec/eval'
import type { Endpoint } from '../eval/endpoint.ts'
import { modelsOf } from '../eval/models.ts'
import { addressOf, openAiAddress, serverOf } from '../eval/server-of.ts'
import type { ModelSources } from '../eval/server-of.ts'
import { UsageError } from '../usage-error.ts'

/** Who is examined. */
export interface Patient {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: EndpointHeaders
  readonly model: string | null
  readonly endpoint: Asked
}

type Asked = Extract<Endpoint, { readonly kind: 'server' }>

/** Null for a simulated model. */
export function patientOf(model: string | null, sources: ModelSources): Patient | null {
  if (model === null) return patient(serverAlone(sources), null)
  const [found] = modelsOf({ ...sources, options: { ...sources.options, model: [model] } })
  return found === undefined || found.endpoint.kind !== 'server' ? null : patient(found.endpoint, found.name)
}

function patient(endpoint: Asked, model: string | null): Patient {
  const { baseUrl, apiKey, headers } = endpoint
  return { baseUrl, apiKey, headers, model, endpoint }
}

/** The address alone, without a model. */
function serverAlone(sources: ModelSources): Asked {
  const address = addressOf({}, sources) ?? openAiAddress(sources, '')
  if (address === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  return serverOf({ name: '' }, { address, sources, ownUrl: undefined })
}
