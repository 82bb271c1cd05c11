import { excerpt } from '../text/excerpt.ts'
import type { Completion, Failure } from '../trace/completion.ts'
import { unparsedText } from './tool-calls.ts'

/** What else is known about a failure. */
export interface FailureDetails {
  readonly isRetryable: boolean
  readonly retryAfterMs?: number | null
  readonly isConnection?: boolean
  readonly partial?: Completion | null
}

/** A failure on its way to the retry layer. */
export class CompletionError extends Error {
  readonly failure: Failure
  readonly isRetryable: boolean
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null
  /** Whether there was no connection, or it broke before the response began: the server may be down. */
  readonly isConnection: boolean
  /** The part of the reply that arrived, for failures of the model. */
  readonly partial: Completion | null

  constructor(failure: Failure, details: FailureDetails) {
    const { isRetryable, retryAfterMs = null, isConnection = false, partial = null } = details
    super(failure.message)
    this.name = 'CompletionError'
    this.failure = failure
    this.isRetryable = isRetryable
    this.retryAfterMs = retryAfterMs
    this.isConnection = isConnection
    this.partial = partial
  }
}

/** A failure of the transport or of the server. */
export function infraError(message: string, isRetryable: boolean, status: number | null = null): CompletionError {
  return new CompletionError({ kind: 'infra', status, message }, { isRetryable })
}

/** What an exception of the transport means. Null for any other exception. */
export function completionErrorOf(error: unknown): CompletionError | null {
  if (error instanceof CompletionError) return error
  if (error instanceof TypeError || error instanceof SyntaxError || NETWORK.test(systemCode(error) ?? '')) {
    const reason = error instanceof Error ? error.message : String(error)
    return infraError(`the reply broke off or is not JSON (${excerpt(reason)})`, true)
  }
  return null
}

/** Error codes of the system, of undici and of its parser. */
const NETWORK = /^(?:E[A-Z0-9]+|UND_ERR_\w+|HPE_\w+)$/

export interface ServerError {
  /** Null inside a stream. */
  readonly status: number | null
  /** Machine-readable, such as `context_length_exceeded`. */
  readonly code: string
  readonly message: string
  /** `failed_generation`, or empty. */
  readonly generation: string
  readonly headers: Headers | undefined
}

/** The meaning of an error that a server reports. */
export function serverSaid({ status, code, message, generation, headers }: ServerError): CompletionError {
  const unparsed = unparsedText({ code, message, generation })
  if (unparsed !== null) return unparsedOutput(status, message, unparsed)
  const said = excerpt(message)
  const final = (kind: Failure['kind'], text = said): CompletionError =>
    new CompletionError({ kind, status, message: text }, { isRetryable: false })
  const target = headers?.get('location')
  if (status !== null && status >= 300 && status < 400)
    return final('configuration', `${status}: the server redirects (${excerpt(target ?? 'without a target')})`)
  if (TOO_LONG.test(`${code} ${message.slice(0, 2000)}`)) return final('context')
  if (FILTERED.test(code)) return final('refused')
  if (status === 401 || status === 402 || status === 403 || status === 404 || status === 405)
    return final('configuration')
  // Waiting does not lift this limit.
  if (NO_CREDIT.test(code)) return final('configuration')
  if (status === null) return infraError(`the server reported an error: ${said}`, true)
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500
  const retryAfterMs = retryAfter(headers)
  // A run must not sleep for days without notice: it ends, and can be resumed.
  if (isRetryable && retryAfterMs !== null && retryAfterMs > LONGEST_WAIT_MS)
    return final('configuration', `${said} (it asks to wait for more than a day)`)
  return new CompletionError({ kind: 'infra', status, message: said }, { isRetryable, retryAfterMs })
}

function unparsedOutput(status: number | null, message: string, text: string): CompletionError {
  const nothing = { id: '', reasoning: '', toolCalls: [], finishReason: null, usage: null, ms: 0 }
  const partial = { ...nothing, text, warnings: [], cached: false }
  const failure = { kind: 'unparsed-output', status, message: excerpt(message) } as const
  return new CompletionError(failure, { isRetryable: false, partial })
}

/** Codes for an account without credit: OpenAI, Moonshot, DeepSeek, DashScope. */
const NO_CREDIT = /insufficient_(?:user_)?(?:quota|balance|credits)|billing|arrearage|exceeded_current_quota/i

/** Messages about a prompt that is too long: OpenAI, vLLM, SGLang, llama.cpp, hosted services. */
const TOO_LONG =
  /context[_ ](?:length|size|window)|maximum context|exceed_context|(?:prompt|input) is too long|longer than the (?:model|maximum)/i

const FILTERED = /content_filter|content_policy|data_inspection_failed/i

/** The code of the innermost system error: `fetch failed` hides it in its causes. */
export function systemCode(error: unknown): string | null {
  let current: unknown = error
  let found: string | null = null
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') found = current.code
    const inner: unknown = current instanceof AggregateError ? current.errors[0] : current.cause
    current = inner
  }
  return found
}

/** One day. A run ends where a server asks to wait longer. */
export const LONGEST_WAIT_MS = 86_400_000

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date. A date is compared with
 * the `Date` of the response if there is one. Negative numbers and past dates are 0. Null without a header, and for an unreadable one.
 */
export function retryAfter(headers: Headers | undefined): number | null {
  const milliseconds = numberIn(headers?.get('retry-after-ms') ?? null)
  if (milliseconds !== null) return milliseconds
  const given = headers?.get('retry-after') ?? null
  const seconds = numberIn(given)
  if (seconds !== null) return seconds * 1000
  const date = dateIn(given)
  return date === null ? null : Math.max(0, date - (dateIn(headers?.get('date') ?? null) ?? Date.now()))
}

/** A number with too many digits is infinite. */
function numberIn(text: string | null): number | null {
  return text !== null && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text) ? Math.max(0, Number(text)) : null
}

/** `Date.parse` also accepts `-5`. */
function dateIn(text: string | null): number | null {
  const value = text !== null && /[a-z]|\d-\d/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(value) ? null : value
}

/** A request was not sent, or not again, because another endpoint can take it. */
export class EndpointUnavailableError extends CompletionError {
  /** @param failure the last one of the endpoint */
  constructor({ status, message }: Pick<Failure, 'status' | 'message'>) {
    super({ kind: 'unreachable', status, message: `no longer answers (${message})` }, { isRetryable: false })
    this.name = 'EndpointUnavailableError'
  }
}

/**
 * The endpoint of an episode is unavailable, and no other endpoint is the same server: the episode restarts, because its turns so far would
 * not fit.
 */
export class EpisodeRestartError extends Error {
  constructor() {
    super('callspec: the episode restarts on another endpoint')
    this.name = 'EpisodeRestartError'
  }
}
