import type { Failure } from '../trace/failure.ts'
import type { TriedEndpoint } from '../trace/trace.ts'
import { asksToWait, signOf } from './availability.ts'
import type { Breaker, Pass, Sign, Waiter } from './breaker.ts'
import { CompletionError, completionErrorOf, EndpointUnavailableError } from './failure.ts'
import type { Limiter } from './limiter.ts'
import { pause } from './deadline.ts'
import type { Sleep } from './deadline.ts'

export interface RetryOptions {
  /** How many times a failed attempt is repeated; 0 for never. */
  readonly maxRetries: number
  /** Every attempt takes a place of its own; nobody waits in one. */
  readonly limiter: Limiter
  /** Absent: nothing is held back while the server is away. */
  readonly breaker?: Breaker | undefined
  /** Whether such requests have been answered before. Absent: whether any have. */
  readonly known?: KnownRequests | undefined
  /** Finds out for the breaker whether anybody answers. */
  readonly probe?: Waiter['probe'] | undefined
  /** Is told when the server asks to wait, and for how long. */
  readonly onTold?: ((milliseconds: number, failure: Failure) => void) | undefined
  /** Ends everything. */
  readonly signal?: AbortSignal | undefined
  /** Ends what is waited for without an exception: the caller asks elsewhere. */
  readonly leave?: AbortSignal | undefined
  /** Ends what is waited for, so that no attempt begins; one that is under way comes to its end. Default: `signal`. */
  readonly waits?: AbortSignal | undefined
  /** Waits; a test hands in one that does not. */
  readonly sleep?: Sleep | undefined
}

/**
 * What kinds of requests a model has answered, at any of its endpoints. Some servers answer 500 to what they cannot do, such as
 * tools: then it is the request that fails, not the server.
 */
export interface KnownRequests {
  readonly kind: string
  readonly answered: Set<string>
}

/** What came of it, and how many attempts it took. */
export type Attempted<T> = Place &
  (
    | { readonly kind: 'done'; readonly value: T; readonly attempts: number }
    | { readonly kind: 'failed'; readonly error: CompletionError; readonly attempts: number }
  )

/** Of one endpoint among several: which one it was, and which ones were asked in vain before. */
interface Place {
  readonly endpoint?: string
  readonly tried?: readonly TriedEndpoint[]
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const TOO_MANY_REQUESTS = 429

/**
 * The only retry layer: network errors, 408, 409, 429 and 5xx are tried again, with full jitter, or as long after as the server asks
 * for: then nobody is let in until then, and those who wait come back one after the other. While the breaker holds everybody
 * back, attempts that failed because nobody was there count for nothing. An abort and a mistake of ours pass through as
 * exceptions.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<Attempted<T>> {
  const { signal, waits = signal, leave, breaker } = options
  const count = { attempts: 0 }
  try {
    return await untilDone(attempt, { ...options, waits: either(waits, leave), count })
  } catch (error) {
    if (leave?.aborted !== true || error !== leave.reason) throw error
    return {
      kind: 'failed',
      error: new EndpointUnavailableError(breaker?.outage()?.failure ?? AWAY),
      attempts: count.attempts,
    }
  }
}

const AWAY = { status: null, message: 'it is gone' } as const

type Counting = RetryOptions & { readonly count: { attempts: number } }

async function untilDone<T>(attempt: () => Promise<T>, options: Counting): Promise<Attempted<T>> {
  const { maxRetries, limiter, breaker, waits, sleep = pause, count } = options
  let spent = 0
  for (;;) {
    const pass = await admitted(options)
    if (pass === 'gone') return { kind: 'failed', error: goneError(breaker), attempts: count.attempts }
    count.attempts += 1
    const result = await once(attempt, { ...options, pass, isLast: spent >= maxRetries })
    if (result.kind === 'done') return { ...result, attempts: count.attempts }
    const { error } = result
    if (!isFree(error, pass, breaker)) {
      spent += 1
      if (!error.isRetryable || spent > maxRetries) return { ...result, attempts: count.attempts }
    }
    waits?.throwIfAborted()
    if (breaker?.isClosed() === false) continue
    // 0 is no time to wait for: everybody would be back at once.
    const isTold = error.retryAfterMs !== null && error.retryAfterMs > 0
    const own = Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(1, spent))
    const nap = sleep(isTold ? error.retryAfterMs : own, waits)
    if (isTold) limiter.pauseWhile(nap)
    if (isTold) options.onTold?.(error.retryAfterMs, error.failure)
    await nap
  }
}

/** Kept by both: joined anew for every request they would leave a listener each. */
const joined = new WeakMap<AbortSignal, WeakMap<AbortSignal, AbortSignal>>()

function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const known = joined.get(other) ?? new WeakMap<AbortSignal, AbortSignal>()
  joined.set(other, known)
  const both = known.get(one) ?? AbortSignal.any([one, other])
  known.set(one, both)
  return both
}

/** Waits for the endpoint and for a place there. */
async function admitted({ limiter, breaker, probe = nobodyKnows, waits }: RetryOptions): Promise<Pass> {
  for (;;) {
    const pass = breaker?.isClosed() === false ? await breaker.enter({ probe, signal: waits }) : 'free'
    if (pass === 'gone') return pass
    try {
      await limiter.acquire(waits)
    } catch (error) {
      breaker?.report(pass, 'unclear')
      throw error
    }
    if (pass === 'trial' || breaker?.isClosed() !== false) return pass
    // It went away while a place was waited for.
    limiter.release()
  }
}

const nobodyKnows = (): Promise<boolean> => Promise.resolve(true)

/**
 * Whether a failure is that of an outage alone. A connection that was refused asked for nothing. One that broke may have broken
 * because of what was asked: that counts, unless many broke at the same time.
 */
function isFree(error: CompletionError, pass: Pass, breaker: Breaker | undefined): boolean {
  if (breaker === undefined || !breaker.isProven() || signOf(error) !== 'down') return false
  return error.failure.kind === 'unreachable' || (pass === 'free' && !breaker.isClosed())
}

function goneError(breaker: Breaker | undefined): CompletionError {
  const outage = breaker?.outage() ?? null
  const { status = null, message = '' } = outage?.failure ?? {}
  const patience = Math.round((outage?.patienceMs ?? 0) / 1000)
  const what =
    outage?.isFailing === true
      ? `${outage.failure.kind === 'configuration' ? 'refuses' : 'fails'} every request${patience === 0 ? '' : `, for ${patience} s now`}`
      : patience === 0
        ? 'does not answer any more'
        : `did not come back within ${patience} s`
  return new CompletionError({ kind: 'unreachable', status, message: `${what} (${message})` }, { isRetryable: false })
}

type Once<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly error: CompletionError }

type Slot = Counting & { readonly pass: Pass; readonly isLast: boolean }

/** In a place that has been taken. */
async function once<T>(attempt: () => Promise<T>, slot: Slot): Promise<Once<T>> {
  const { limiter, breaker, known, pass, signal, count } = slot
  let [sign, error]: [Sign, CompletionError | null] = ['unclear', null]
  try {
    const value = await attempt()
    sign = 'answered'
    limiter.answered()
    known?.answered.add(known.kind)
    return { kind: 'done', value }
  } catch (thrown) {
    signal?.throwIfAborted()
    error = completionErrorOf(thrown)
    if (error === null) throw thrown
    sign = reportedSign(error, slot)
    // An exhausted quota is a 429, too; asking for less at a time does not lift it.
    if (error.failure.status === TOO_MANY_REQUESTS && error.isRetryable) limiter.refused()
    return { kind: 'failed', error }
  } finally {
    breaker?.report(pass, sign, error?.failure, count)
    limiter.release()
  }
}

/** A server that asks for patience fails a request when that is at its end; one that could never answer such requests fails none. */
function reportedSign(error: CompletionError, { breaker, known, isLast }: Slot): Sign {
  const sign = signOf(error)
  if (sign !== 'failing') return sign
  const isKnown = known === undefined ? breaker?.isProven() === true : known.answered.has(known.kind)
  return isKnown && (isLast || !asksToWait(error)) ? 'failing' : 'unclear'
}
