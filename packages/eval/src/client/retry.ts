import { completionErrorOf } from './failure.ts'
import type { CompletionError } from './failure.ts'
import type { Limiter } from './limiter.ts'
import { onAbort } from './on-abort.ts'

export interface RetryOptions {
  /** How many times a failed attempt is repeated; 0 for never. */
  readonly maxRetries: number
  /** Every attempt takes a place of its own; nobody waits in one. */
  readonly limiter: Limiter
  /** Ends everything. */
  readonly signal?: AbortSignal | undefined
  /** Ends what is waited for, so that no attempt begins; one that is under way comes to its end. Default: `signal`. */
  readonly waits?: AbortSignal | undefined
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
 * The only retry layer: network errors, 408, 409, 429 and 5xx are tried again, with full jitter, or as long after as the server asks
 * for: then nobody is let in until then, and those who wait come back one after the other. An abort and a mistake of ours
 * pass through as exceptions.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { maxRetries, limiter, signal, waits = signal, sleep = pause }: RetryOptions,
): Promise<Attempted<T>> {
  for (let attempts = 1; ; attempts += 1) {
    await limiter.acquire(waits)
    const result = await once(attempt, limiter, signal)
    if (result.kind === 'done') return { ...result, attempts }
    const { error } = result
    if (!error.isRetryable || attempts > maxRetries) return { ...result, attempts }
    waits?.throwIfAborted()
    // 0 is no time to wait for: everybody would be back at once.
    const isTold = error.retryAfterMs !== null && error.retryAfterMs > 0
    const own = Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts)
    const nap = sleep(isTold ? error.retryAfterMs : own, waits)
    if (isTold) limiter.pauseWhile(nap)
    await nap
  }
}

type Once<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly error: CompletionError }

/** In a place that has been taken. */
async function once<T>(attempt: () => Promise<T>, limiter: Limiter, signal: AbortSignal | undefined): Promise<Once<T>> {
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
