import type { Failure } from '../trace/failure.ts'
import { createLimiter } from './limiter.ts'
import { pause } from './pause.ts'
import type { Sleep } from './pause.ts'

/**
 * Holds requests back while nobody answers at an endpoint, and finds out when somebody does again. One for every endpoint,
 * shared by all that ask there. It knows nothing of requests: those who ask report what they saw.
 */
export interface Breaker {
  /** Whether requests may go out at once. */
  isClosed(): boolean
  /** Whether somebody has ever answered there. Before, a wrong address is more likely than an outage, and nothing is held back. */
  isProven(): boolean
  /** Waits until the caller may ask, or has waited in vain. @throws what the signal was aborted with */
  enter(waiter: Waiter): Promise<Pass>
  /** Says what a request that got in came to, once for each. `why` belongs to `down`. */
  report(pass: Pass, sign: Sign, why?: Failure): void
  /** What is the matter; null while it is closed. */
  outage(): Outage | null
}

/** One that waits. */
export interface Waiter {
  /** Finds out, at no cost, whether somebody answers. One at a time is made, by the one that has waited longest. */
  readonly probe: (signal: AbortSignal) => Promise<boolean>
  readonly signal?: AbortSignal | undefined
}

/**
 * How a request got in. `trial`: alone, after a probe was answered; the others follow when it is answered, too. `gone`: not
 * at all, the patience is at its end.
 */
export type Pass = 'free' | 'trial' | 'gone'

/** What a request saw. `unclear`: neither that somebody is there nor that nobody is, such as a time-out or an abort. */
export type Sign = 'answered' | 'down' | 'unclear'

/** An endpoint where nobody answers. */
export interface Outage {
  /** `gone`: whoever waits is sent away. */
  readonly state: 'waiting' | 'gone' | 'over'
  /** The failure of the last try. */
  readonly failure: Failure
  readonly waitedMs: number
  readonly patienceMs: number
}

/** How patient a breaker is, and who is told. */
export interface BreakerOptions {
  /** How long an outage is waited for, from its first failure on; 0 for not at all. Default: `DEFAULT_PATIENCE_MS`. */
  readonly patienceMs?: number | undefined
  /** Is told when an outage begins, after every probe in vain, and when it ends. */
  readonly onOutage?: ((outage: Outage) => void) | undefined
  readonly sleep?: Sleep | undefined
  /** Milliseconds, only ever subtracted. */
  readonly clock?: (() => number) | undefined
}

/** Two minutes: many servers take as long to load a model. */
export const DEFAULT_PATIENCE_MS = 120_000

/** So many failures in a row, without an answer in between, are an outage. */
const FAILURES = 3

const FIRST_GAP_MS = 500
const LONGEST_GAP_MS = 15_000

interface Open {
  readonly since: number
  /** Is aborted when somebody answers. */
  readonly over: AbortController
  failure: Failure
  /** Before the next probe. */
  gapMs: number
  isGone: boolean
}

/** A breaker that is closed. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { patienceMs = DEFAULT_PATIENCE_MS, onOutage, sleep = pause, clock = () => performance.now() } = options
  let [isProven, inRow, firstAt] = [false, 0, 0]
  let open: Open | null = null
  const left = ({ since }: Open): number => patienceMs - (clock() - since)
  const told = (outage: Open, state: Outage['state']): Outage => {
    return { state, failure: outage.failure, waitedMs: patienceMs - left(outage), patienceMs }
  }
  const tell = (outage: Open, state: Outage['state']): void => onOutage?.(told(outage, state))
  const fail = (failure: Failure): void => {
    if (open !== null) open.failure = failure
    if (!isProven || open !== null) return
    if (inRow === 0) firstAt = clock()
    inRow += 1
    if (inRow < FAILURES) return
    open = { since: firstAt, over: new AbortController(), failure, gapMs: FIRST_GAP_MS, isGone: false }
    tell(open, 'waiting')
  }
  const answered = (): void => {
    isProven = true
    inRow = 0
    if (open === null) return
    tell(open, 'over')
    open.over.abort()
    open = null
  }
  const queue = createQueue((waiter) => (open === null ? 'free' : watch(open, { ...waiter, left, sleep, tell })))
  return {
    isClosed: () => open === null,
    isProven: () => isProven,
    enter: queue.enter,
    report: (pass, sign, why) => {
      if (sign === 'answered') answered()
      else if (sign === 'down' && why !== undefined) fail(why)
      if (pass === 'trial') queue.next()
    },
    outage: () => (open === null ? null : told(open, open.isGone ? 'gone' : 'waiting')),
  }
}

/** Those who wait, of whom one at a time is served. One that became a trial is, until `next` is called. */
function createQueue(serve: (waiter: Waiter) => Promise<Pass> | Pass): Pick<Breaker, 'enter'> & { next(): void } {
  const place = createLimiter(1)
  return {
    enter: async (waiter) => {
      await place.acquire(waiter.signal)
      let pass: Pass = 'free'
      try {
        pass = await serve(waiter)
      } finally {
        // Whoever is sent on goes to the end of the row if it comes back: it may be what brings the server down.
        if (pass !== 'trial') place.release()
      }
      return pass
    },
    next: place.release,
  }
}

interface Watching extends Waiter {
  readonly left: (outage: Open) => number
  readonly sleep: Sleep
  readonly tell: (outage: Open, state: Outage['state']) => void
}

/** Probes at growing intervals, until somebody answers, here or elsewhere, or the time is over. */
async function watch(outage: Open, { probe, signal, left, sleep, tell }: Watching): Promise<Pass> {
  const { over } = outage
  const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  try {
    while (left(outage) > 0) {
      await sleep(Math.min(outage.gapMs, left(outage)), either)
      outage.gapMs = Math.min(LONGEST_GAP_MS, outage.gapMs * 2)
      if (await probe(either)) return 'trial'
      tell(outage, 'waiting')
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (over.signal.aborted) return 'free'
    throw error
  }
  if (!outage.isGone) tell(outage, 'gone')
  outage.isGone = true
  return 'gone'
}
