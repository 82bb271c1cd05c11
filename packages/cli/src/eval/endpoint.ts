import { redactedUrl } from '@callspec/eval'
import type { EndpointConfig, EndpointHeaders } from '@callspec/eval'
import type { Output } from '../output.ts'
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
      /** Which variables go where. */
      readonly sent: readonly SentVariable[]
      /** What the caller should know before the first request: a key that is not sent. */
      readonly warnings: readonly string[]
    }

/** A variable of the environment that a server receives, as its key or in a header. */
export interface SentVariable {
  readonly name: string
  readonly host: string
  /** The files that decide so; empty where the command line and the real environment do. */
  readonly from: readonly string[]
}

/**
 * Prints what leaves this machine because a file says so, before it leaves.
 *
 * @param how.isResumed whether a run goes on: then addresses are printed too, and every variable, whoever decides
 */
export function announceEndpoints(
  endpoints: readonly Endpoint[],
  { output, isResumed }: { readonly output: Output; readonly isResumed: boolean },
): void {
  const servers = endpoints.filter((endpoint) => endpoint.kind === 'server')
  const addresses = servers.flatMap(({ all }) => all.map(({ baseUrl }) => redactedUrl(baseUrl)))
  const sent = servers.flatMap((server) => server.sent.filter(({ from }) => isResumed || from.length > 0))
  const lines = [
    ...(isResumed ? addresses.map((url) => `asks ${url}`) : []),
    ...sent.map(
      ({ name, host, from }) => `sends ${name} to ${host}${from.length === 0 ? '' : ` (${from.join(', ')})`}`,
    ),
  ]
  for (const warning of new Set(servers.flatMap(({ warnings }) => warnings))) output.warn(warning)
  for (const line of new Set(lines)) output.note(`callspec: ${line}`)
}

/** Whether an address is of this machine. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)
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
