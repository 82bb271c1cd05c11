import type { EndpointConfig, EndpointHeaders } from '@callspec/eval'
import { UsageError } from '../usage-error.ts'

/** Who answers: the simulated models that the command starts itself, nobody here (a tape, a batch service), or a server. */
export type Endpoint =
  | { readonly kind: 'simulated' }
  | { readonly kind: 'elsewhere' }
  | {
      readonly kind: 'server'
      readonly baseUrl: string
      readonly apiKey: string
      readonly headers: EndpointHeaders
      /** The variable that the key came from, or would. */
      readonly keyVariable: string
      /** All that share the work; the first one is the one above. */
      readonly all: readonly EndpointConfig[]
    }

/** @throws UsageError for what is no http address, or holds a password */
export function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(`"${url}" is no http address. Give one such as http://127.0.0.1:8000/v1`)
  }
  // They would end up in run folders and logs, and fetch refuses them anyway.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new UsageError('the address of the server holds a name or password. Put the key into OPENAI_API_KEY instead.')
  }
}
