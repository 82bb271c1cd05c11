import type { Failure } from '../trace/failure.ts'
import { createLimiter } from './limiter.ts'
import { pause } from './deadline.ts'
import type { Sleep } from './deadline.ts'

/**
 * Holds requests back while an endpoint does not answer, or fails every request, and finds out when it answers again. One for
 * every endpoint, shared by all that ask there. It knows nothing of requests: those who ask report what they saw.
 */
export interface Breaker {
  /** Whether requests may go out at once. */
  isClosed(): boolean
  /** Whether somebody has ever answered there. Before, a wrong address is more likely than an outage, and nothing is held back. */
  isProven(): boolean
  /** Waits until the caller may ask, or has waited in vain. @throws what the signal was aborted with */
  enter(waiter: Waiter): Promise<Pass>
  /** Reports the result of an attempt that got in, once for each. `why` belongs to a failure, `request` to `failing`. */
  report(pass: Pass, sign: Sign, why?: Failure, request?: object): void
  /** Opens at once: the endpoint refuses what others answer. */
  trip(why: Failure): void
  /** Lets requests out though none was answered, for a pool that sends a single one: the next failure opens it again. */
  retry(): void
  /** Whether it was opened by `retry`, and no request has been answered since. */
  isOnTrial(): boolean
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

/**
 * The result of an attempt. `down`: no server is there. `failing`: a server is there, but cannot answer, such as a constant 500 or a
 * reply that never comes. `unclear`: it says nothing about the endpoint, such as an abort.
 */
export type Sign = 'answered' | 'down' | 'failing' | 'unclear'

/** An endpoint that does not answer. */
export interface Outage {
  /** `gone`: whoever waits is sent away. */
  readonly state: 'waiting' | 'gone' | 'over'
  /** The failure of the last try. */
  readonly failure: Failure
  readonly waitedMs: number
  readonly patienceMs: number
  /** A server is there and fails or refuses every request. */
  readonly isFailing?: true
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

/**
 * So many failures in a row, without an answer in between, are an outage. Where a server is there they are those of so many
 * different requests: one alone may be what the server cannot answer.
 */
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
  isFailing: boolean
  /** Requests that went first while it was failing. */
  trials: number
}

/** A breaker that is closed. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { patienceMs = DEFAULT_PATIENCE_MS, onOutage, sleep = pause, clock = () => performance.now() } = options
  let [isProven, inRow, firstAt] = [false, 0, 0]
  let open: Open | null = null
  // While it is on trial.
  let tried: Open | null = null
  const failing = new Set<object>()
  const left = ({ since }: Open): number => patienceMs - (clock() - since)
  const told = (outage: Open, state: Outage['state']): Outage =>
    outageOf(outage, { state, waitedMs: clock() - outage.since, patienceMs })
  const tell = (outage: Open, state: Outage['state']): void => onOutage?.(told(outage, state))
  const opens = (failure: Failure, isFailing: boolean, since: number): void => {
    open = openAfter(tried, { failure, isFailing, since })
    tried = null
    tell(open, 'waiting')
  }
  const fail = (failure: Failure, isFailing: boolean): void => {
    if (open !== null) Object.assign(open, { failure, isFailing })
    if (open !== null || !(isProven || isFailing)) return
    if (inRow === 0) firstAt = clock()
    inRow += 1
    // Time-outs that come one after the other have taken longer than any patience.
    if (tried !== null || inRow >= FAILURES) opens(failure, isFailing, isFailing ? clock() : firstAt)
  }
  const answered = (): void => {
    isProven = true
    inRow = 0
    failing.clear()
    const outage = open ?? tried
    if (outage === null) return
    tell(outage, 'over')
    outage.over.abort()
    open = null
    tried = null
  }
  const queue = createQueue((waiter) =>
    open === null ? 'free' : watch(open, { ...waiter, left, sleep, tell, isPatient: patienceMs > 0 }),
  )
  return {
    isClosed: () => open === null,
    isProven: () => isProven,
    isOnTrial: () => tried !== null,
    enter: queue.enter,
    report: (pass, sign, why, request = {}) => {
      if (sign === 'answered') answered()
      else if (sign === 'down' && why !== undefined) fail(why, false)
      else if (sign === 'failing' && why !== undefined && (tried !== null || !failing.has(request))) {
        failing.add(request)
        fail(why, true)
      }
      if (pass === 'trial') queue.next()
    },
    trip: (why) => {
      if (open === null) opens(why, true, clock())
    },
    retry: () => {
      if (open !== null) tried = { ...open, isGone: false }
      open = null
    },
    outage: () => (open === null ? null : told(open, open.isGone ? 'gone' : 'waiting')),
  }
}

function openAfter(tried: Open | null, now: Pick<Open, 'failure' | 'isFailing' | 'since'>): Open {
  const { since, gapMs, trials } = tried ?? { since: now.since, gapMs: FIRST_GAP_MS, trials: 0 }
  return { ...now, since, gapMs, trials, over: new AbortController(), isGone: false }
}

function outageOf({ failure, isFailing }: Open, more: Pick<Outage, 'state' | 'waitedMs' | 'patienceMs'>): Outage {
  return { ...more, failure, ...(isFailing ? { isFailing } : {}) }
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
  readonly isPatient: boolean
}

/** Probes at growing intervals, until somebody answers, here or elsewhere, or the time is over. */
async function watch(outage: Open, { probe, signal, left, sleep, tell, isPatient }: Watching): Promise<Pass> {
  const { over } = outage
  const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  // One request alone, which may take as long as the patience, does not decide.
  const isEarly = (): boolean => isPatient && outage.isFailing && outage.trials < FAILURES
  try {
    while (left(outage) > 0 || isEarly()) {
      await sleep(isEarly() ? outage.gapMs : Math.min(outage.gapMs, left(outage)), either)
      outage.gapMs = Math.min(LONGEST_GAP_MS, outage.gapMs * 2)
      if (await probe(either)) {
        outage.trials += 1
        return 'trial'
      }
      outage.isFailing = false
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
