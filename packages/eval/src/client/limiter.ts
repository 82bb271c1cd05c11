import { onAbort } from './deadline.ts'

/** How many requests a server gets at the same time. One for every base URL, shared by all that ask there. */
export interface Limiter {
  /** Waits for a place. @throws what the signal was aborted with */
  acquire(signal?: AbortSignal): Promise<void>
  release(): void
  /** An answer came: after 20 in a row there is room for one more. */
  answered(): void
  /** The server is asked too much: half as many from now on. */
  refused(): void
  /** Lets nobody in until `nap` is over, however it ends; and then those who wait one after the other, not all at once. */
  pauseWhile(nap: Promise<void>): void
  /** How many at the same time, at the moment. */
  limit(): number
}

/** So many answers in a row make room for one more. */
const CLEAN = 20

/** Over so many milliseconds those who wait are let in after a pause. */
const SPREAD_MS = 1000

/** Calls `act` later; a test hands in one that decides when. */
export type Later = (act: () => void, milliseconds: number) => void

/**
 * A semaphore whose width follows the server. Refusals of requests that were under way when the last one narrowed it count
 * no further: a burst halves once.
 *
 * @param max never more than so many; default: as many as ask
 */
export function createLimiter(max: number = Infinity, later: Later = setTimeout): Limiter {
  const waiting: Waiter[] = []
  let [width, active, clean, pauses, burst] = [max, 0, 0, 0, 0]
  let isSpreading = false
  const enterOne = (): boolean => {
    const next = pauses === 0 && active < width ? waiting.shift() : undefined
    if (next === undefined) return false
    active += 1
    next.enter()
    return true
  }
  const pump = (): void => {
    while (!isSpreading && enterOne());
  }
  const spread = (gap: number): void => {
    isSpreading = enterOne() && waiting.length > 0
    if (isSpreading) later(() => spread(gap), gap)
  }
  return {
    acquire: (signal) => {
      signal?.throwIfAborted()
      if (pauses === 0 && active < width && waiting.length === 0) {
        active += 1
        return Promise.resolve()
      }
      return queued(waiting, signal)
    },
    release: () => {
      active -= 1
      if (burst > 0) burst -= 1
      pump()
    },
    answered: () => {
      clean += 1
      if (clean < CLEAN) return
      clean = 0
      width = Math.min(max, width + 1)
      pump()
    },
    refused: () => {
      clean = 0
      if (burst > 0) return
      width = Math.max(1, Math.floor(Math.min(width, active) / 2))
      burst = active
    },
    pauseWhile: (nap) => {
      pauses += 1
      const resume = (): void => {
        pauses -= 1
        if (pauses === 0 && !isSpreading) spread(SPREAD_MS / waiting.length)
      }
      nap.then(resume, resume)
    },
    limit: () => width,
  }
}

interface Waiter {
  readonly enter: () => void
}

function queued(waiting: Waiter[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => {
      waiting.splice(waiting.indexOf(waiter), 1)
      reject(signal?.reason as Error)
    })
    const waiter: Waiter = {
      enter: () => {
        forget()
        resolve()
      },
    }
    waiting.push(waiter)
  })
}
