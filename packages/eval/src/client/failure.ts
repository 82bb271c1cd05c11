import { excerpt } from '../text/excerpt.ts'
import type { Completion } from '../trace/completion.ts'
import type { Failure } from '../trace/failure.ts'
import { unparsedText } from './unparsed-output.ts'

/** What is known of a failure beside what it is. */
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
  /** Whether there was no connection at all, or none that lasted until an answer began: then nobody may be there. */
  readonly isConnection: boolean
  /** What came of the reply, of a failure that is one of the model. */
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

/** A failure of the way to the server or of the server itself. */
export function infraError(message: string, isRetryable: boolean, status: number | null = null): CompletionError {
  return new CompletionError({ kind: 'infra', status, message }, { isRetryable })
}

/** What an exception on the way to a server means. Null for one that does not come from there. */
export function completionErrorOf(error: unknown): CompletionError | null {
  if (error instanceof CompletionError) return error
  if (error instanceof TypeError || error instanceof SyntaxError || NETWORK.test(systemCode(error) ?? '')) {
    const reason = error instanceof Error ? error.message : String(error)
    return infraError(`the reply broke off or is no JSON (${excerpt(reason)})`, true)
  }
  return null
}

/** Codes of the system, of undici and of its parser. */
const NETWORK = /^(?:E[A-Z0-9]+|UND_ERR_\w+|HPE_\w+)$/

/** What a server says when it gives no completion. */
export interface ServerError {
  /** Null inside a stream. */
  readonly status: number | null
  /** Its machine-readable words, such as `context_length_exceeded`. */
  readonly code: string
  readonly message: string
  /** What it gives as `failed_generation`; empty where it gives nothing. */
  readonly generation: string
  readonly headers: Headers | undefined
}

/** What the error of a server means. */
export function serverSaid({ status, code, message, generation, headers }: ServerError): CompletionError {
  const unparsed = unparsedText({ code, message, generation })
  if (unparsed !== null) return unparsedOutput(status, message, unparsed)
  const said = excerpt(message)
  const final = (kind: Failure['kind'], text = said): CompletionError =>
    new CompletionError({ kind, status, message: text }, { isRetryable: false })
  const target = headers?.get('location')
  if (status !== null && status >= 300 && status < 400)
    return final('configuration', `${status}: the server is elsewhere (${excerpt(target ?? 'it does not say where')})`)
  if (TOO_LONG.test(`${code} ${message.slice(0, 2000)}`)) return final('context')
  if (FILTERED.test(code)) return final('refused')
  if (status === 401 || status === 402 || status === 403 || status === 404 || status === 405)
    return final('configuration')
  // A limit that no waiting lifts.
  if (NO_CREDIT.test(code)) return final('configuration')
  if (status === null) return infraError(`the server reported an error: ${said}`, true)
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500
  const retryAfterMs = retryAfter(headers)
  // Nobody looks at a run that sleeps for days: it ends, and goes on when somebody says so.
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

/** What hosted services call it when an account has nothing left: OpenAI, Moonshot, DeepSeek, DashScope. */
const NO_CREDIT = /insufficient_(?:user_)?(?:quota|balance|credits)|billing|arrearage|exceeded_current_quota/i

/** How servers say that a prompt is too long: OpenAI and vLLM, SGLang, llama.cpp, hosted ones. */
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

/** A server that asks to wait for longer is not waited for: the run ends. A day. */
export const LONGEST_WAIT_MS = 86_400_000

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date. A date counts from the
 * server's own clock where it tells it. A number below 0 and a date that has passed mean now, which is 0. Null for nothing, and
 * for what means nothing.
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

/** Infinite where so many digits are given. */
function numberIn(text: string | null): number | null {
  return text !== null && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text) ? Math.max(0, Number(text)) : null
}

/** `Date.parse` alone takes `-5` for a date. */
function dateIn(text: string | null): number | null {
  const value = text !== null && /[a-z]|\d-\d/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(value) ? null : value
}

/** A request that was not made, or not again, because it can be made elsewhere. */
export class EndpointUnavailableError extends CompletionError {
  /** @param why what the endpoint failed with */
  constructor({ status, message }: Pick<Failure, 'status' | 'message'>) {
    super({ kind: 'unreachable', status, message: `does not answer any more (${message})` }, { isRetryable: false })
    this.name = 'EndpointUnavailableError'
  }
}

/** The endpoint of an episode is gone, and none that is left is the same: its turns so far say nothing about the next one. */
export class EpisodeRestartError extends Error {
  constructor() {
    super('callspec: the episode begins anew on another endpoint')
    this.name = 'EpisodeRestartError'
  }
}
