import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'

/**
 * Why there is no completion.
 *
 * - `infra`: the server or the way to it failed, after every retry
 * - `context`: the prompt is too long for the model
 * - `refused`: a content filter
 * - `configuration`: wrong key, wrong model, wrong address; more requests will not help
 * - `unreachable`: nobody listens there
 */
export interface Failure {
  readonly kind: 'infra' | 'context' | 'refused' | 'configuration' | 'unreachable'
  readonly status: number | null
  /** One line; quotes at most 160 characters of what the server said. */
  readonly message: string
}

/** A failure on its way to the retry layer. */
export class CompletionError extends Error {
  readonly failure: Failure
  readonly isRetryable: boolean
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null

  constructor(
    failure: Failure,
    { isRetryable, retryAfterMs = null }: { readonly isRetryable: boolean; readonly retryAfterMs?: number | null },
  ) {
    super(failure.message)
    this.name = 'CompletionError'
    this.failure = failure
    this.isRetryable = isRetryable
    this.retryAfterMs = retryAfterMs
  }
}

/** What an exception of the OpenAI client means. Null for exceptions that are not its own. */
export function completionErrorOf(error: unknown): CompletionError | null {
  if (error instanceof CompletionError) return error
  if (error instanceof APIConnectionTimeoutError) {
    return new CompletionError(
      { kind: 'infra', status: null, message: 'the server did not answer in time' },
      { isRetryable: true },
    )
  }
  if (error instanceof APIConnectionError) return connectionError(error)
  // oxlint-disable-next-line typescript/no-unsafe-argument -- instanceof cannot say what the class is generic in
  if (error instanceof APIError) return statusError(error)
  // What the client lets through of a broken body: undici and JSON errors.
  if (error instanceof TypeError || error instanceof SyntaxError) {
    return new CompletionError(
      { kind: 'infra', status: null, message: `the reply broke off or is no JSON (${excerpt(error.message)})` },
      { isRetryable: true },
    )
  }
  return null
}

/** One line of at most 160 characters. */
export function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`
}

function connectionError(error: APIConnectionError): CompletionError {
  const code = systemCode(error)
  if (code === 'ECONNREFUSED') {
    return new CompletionError(
      { kind: 'unreachable', status: null, message: 'refused the connection. Is the server running?' },
      { isRetryable: false },
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new CompletionError(
      { kind: 'unreachable', status: null, message: 'has no address. Is the host name right?' },
      { isRetryable: code === 'EAI_AGAIN' },
    )
  }
  return new CompletionError(
    { kind: 'infra', status: null, message: `the connection failed (${code ?? excerpt(error.message)})` },
    { isRetryable: true },
  )
}

function statusError(error: APIError): CompletionError {
  const status = typeof error.status === 'number' ? error.status : null
  const said = excerpt(error.message)
  const code = error.code ?? ''
  if (status === null)
    return new CompletionError(
      { kind: 'infra', status, message: `the stream reported an error: ${said}` },
      { isRetryable: true },
    )
  if (status === 401 || status === 403 || status === 404) {
    return new CompletionError({ kind: 'configuration', status, message: said }, { isRetryable: false })
  }
  if (/context_length|context length|maximum context/i.test(`${code} ${said}`)) {
    return new CompletionError({ kind: 'context', status, message: said }, { isRetryable: false })
  }
  if (/content_filter|content_policy/i.test(code))
    return new CompletionError({ kind: 'refused', status, message: said }, { isRetryable: false })
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500
  return new CompletionError(
    { kind: 'infra', status, message: said },
    { isRetryable, retryAfterMs: retryAfter(error.headers) },
  )
}

function retryAfter(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? NaN)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds
  const given = headers?.get('retry-after') ?? null
  if (given === null) return null
  const seconds = Number(given)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  const date = Date.parse(given)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

/** The code of the innermost system error: `fetch failed` hides it in its causes. */
function systemCode(error: unknown): string | null {
  let current: unknown = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code
    const inner: unknown = current instanceof AggregateError ? current.errors[0] : current.cause
    current = inner
  }
  return null
}
