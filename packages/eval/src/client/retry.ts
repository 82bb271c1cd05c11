import { setTimeout as wait } from 'node:timers/promises'
import { completionErrorOf } from './failure.ts'
import type { CompletionError } from './failure.ts'

export interface RetryOptions {
  /** How many times a failed attempt is repeated; 0 for never. */
  readonly maxRetries: number
  readonly signal?: AbortSignal
  /** Waits; a test hands in one that does not. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** What came of it, and how many attempts it took. */
export type Attempted<T> =
  | { readonly kind: 'done'; readonly value: T; readonly attempts: number }
  | { readonly kind: 'failed'; readonly error: CompletionError; readonly attempts: number }

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

/**
 * The only retry layer: network errors, 408, 409, 429 and 5xx are tried again, with full jitter or as long as the
 * server asks for (at most 30 s). An abort and a mistake of ours pass through as exceptions.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { maxRetries, signal, sleep = pause }: RetryOptions,
): Promise<Attempted<T>> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return { kind: 'done', value: await attempt(), attempts }
    } catch (thrown) {
      signal?.throwIfAborted()
      const error = completionErrorOf(thrown)
      if (error === null) throw thrown
      if (!error.isRetryable || attempts > maxRetries) return { kind: 'failed', error, attempts }
      await sleep(
        Math.min(LONGEST_DELAY_MS, error.retryAfterMs ?? Math.random() * FIRST_DELAY_MS * 2 ** attempts),
        signal,
      )
    }
  }
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal === undefined ? {} : { signal })
}
