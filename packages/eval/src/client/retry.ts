import { completionErrorOf } from './failure.ts'
import type { CompletionError } from './failure.ts'
import type { Limiter } from './limiter.ts'
import { onAbort } from './on-abort.ts'

export interface RetryOptions {
  /** How many times a failed attempt is repeated; 0 for never. */
  readonly maxRetries: number
  /** Every attempt takes a place of its own; nobody waits in one. */
  readonly limiter: Limiter
  readonly signal?: AbortSignal | undefined
  /** Waits; a test hands in one that does not. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** What came of it, and how many attempts it took. */
export type Attempted<T> =
  | { readonly kind: 'done'; readonly value: T; readonly attempts: number }
  | { readonly kind: 'failed'; readonly error: CompletionError; readonly attempts: number }

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const TOO_MANY_REQUESTS = 429

/**
 * The only retry layer: network errors, 408, 409, 429 and 5xx are tried again, with full jitter or as long as the
 * server asks for (at most 30 s). An abort and a mistake of ours pass through as exceptions.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { maxRetries, limiter, signal, sleep = pause }: RetryOptions,
): Promise<Attempted<T>> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await once(attempt, limiter, signal)
    if (result.kind === 'done') return { ...result, attempts }
    const { error } = result
    if (!error.isRetryable || attempts > maxRetries) return { ...result, attempts }
    const delay = error.retryAfterMs ?? Math.random() * FIRST_DELAY_MS * 2 ** attempts
    const nap = sleep(Math.min(LONGEST_DELAY_MS, delay), signal)
    if (error.failure.status === TOO_MANY_REQUESTS && error.retryAfterMs !== null) limiter.pauseWhile(nap)
    await nap
  }
}

type Once<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly error: CompletionError }

async function once<T>(attempt: () => Promise<T>, limiter: Limiter, signal: AbortSignal | undefined): Promise<Once<T>> {
  await limiter.acquire(signal)
  try {
    const value = await attempt()
    limiter.answered()
    return { kind: 'done', value }
  } catch (thrown) {
    signal?.throwIfAborted()
    const error = completionErrorOf(thrown)
    if (error === null) throw thrown
    if (error.failure.status === TOO_MANY_REQUESTS) limiter.refused()
    return { kind: 'failed', error }
  } finally {
    limiter.release()
  }
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget()
      resolve()
    }, milliseconds)
    const forget = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    })
  })
}
