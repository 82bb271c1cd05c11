import type { ReferenceError } from '@callspec/python'

/** The state of the retries of one call. */
export interface RetryState {
  /** How many retries have been started. */
  readonly retries: number
  /** Seconds; what the next delay grows from. */
  readonly delay: number
}

/** What to do after a failure: wait and try again, or give up with this error. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly delaySeconds: number; readonly state: RetryState }
  | { readonly kind: 'give-up'; readonly error: ReferenceError }

/** The limit and the chance of one retry decision. */
export interface RetryOptions {
  readonly maxRetries: number
  /** What `random()` gave, in [0, 1). */
  readonly random: number
}

/** Before the first attempt. */
export const FIRST_ATTEMPT: RetryState = { retries: 0, delay: 1 }

const GROWTH = 2
const MAX_DELAY = 300

/** Codes of a service error that no retry can help. */
const FINAL_CODES = ['400', 'DataInspectionFailed']
const FINAL_TEXTS = ['inappropriate content', 'maximum context length']

/**
 * Decides what happens after a failed attempt (spec §10). Nothing waits here: the caller sleeps `delaySeconds`.
 *
 * As in the reference: the random factor is carried into the next delay, so delays can exceed 300 seconds (spec Q21).
 */
export function decideRetry(
  state: RetryState,
  error: ReferenceError,
  { maxRetries, random }: RetryOptions,
): RetryDecision {
  if (maxRetries <= 0 || !canRetry(error)) return { kind: 'give-up', error }
  if (state.retries >= maxRetries) {
    const message = `Maximum number of retries (${maxRetries}) exceeded.`
    return { kind: 'give-up', error: { type: 'ModelServiceError', message } }
  }
  const delay = Math.min(state.delay * GROWTH, MAX_DELAY) * (1 + random)
  return { kind: 'retry', delaySeconds: delay, state: { retries: state.retries + 1, delay } }
}

/** Whether an error is one of the service, and of a kind that can pass. */
export function canRetry(error: ReferenceError): boolean {
  if (error.type !== 'ModelServiceError') return false
  if (error.code !== undefined && FINAL_CODES.includes(error.code)) return false
  return !FINAL_TEXTS.some((text) => error.message.includes(text))
}
