import { PRESETS } from '@callspec/eval'
import { didYouMean } from '../nearest.ts'
import { UsageError } from '../usage-error.ts'

/** Who answers: the simulated models that the command starts itself, or a server. */
export type Endpoint =
  { readonly kind: 'simulated' } | { readonly kind: 'server'; readonly baseUrl: string; readonly apiKey: string }

export interface EndpointRequest {
  readonly models: readonly string[]
  readonly isModelGiven: boolean
  readonly baseUrl: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What servers on this machine take for a key. */
const DUMMY_KEY = 'EMPTY'

/**
 * Finds out who is to be asked: `--base-url`, then OPENAI_BASE_URL, then OpenAI itself if there is a key for it.
 * Simulated models need no server, unless one is named on the command line.
 */
export function endpointOf({ models, isModelGiven, baseUrl, environment }: EndpointRequest): Endpoint {
  if (baseUrl === null && models.every((model) => model.startsWith('sim/'))) {
    checkSimulated(models)
    return { kind: 'simulated' }
  }
  if (!isModelGiven)
    throw new UsageError("--base-url needs --model NAME: which of the server's models to ask. GET /models lists them.")
  const key = environment['OPENAI_API_KEY'] ?? ''
  const fallback = key === '' ? null : 'https://api.openai.com/v1'
  const url = baseUrl ?? (environment['OPENAI_BASE_URL'] || fallback)
  if (url === null) {
    throw new UsageError(
      `--model ${models.find((model) => !model.startsWith('sim/')) ?? ''} needs a server: give --base-url URL or set OPENAI_BASE_URL`,
    )
  }
  checkUrl(url)
  return { kind: 'server', baseUrl: url, apiKey: key === '' ? DUMMY_KEY : key }
}

/** Whether the caller gave a key for it. */
export function hasKey(endpoint: Endpoint): boolean {
  return endpoint.kind === 'server' && endpoint.apiKey !== DUMMY_KEY
}

function checkSimulated(models: readonly string[]): void {
  const known = [...PRESETS.keys()]
  const unknown = models.find((model) => !PRESETS.has(model))
  if (unknown === undefined) return
  throw new UsageError(
    `--model "${unknown}" is no simulated model.${didYouMean(unknown, known)} Known: ${known.join(', ')}; others need --base-url URL.`,
  )
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
