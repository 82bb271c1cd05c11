import { onAbort } from './on-abort.ts'

/** How many requests a server gets at the same time. One for every base URL, shared by all that ask there. */
export interface Limiter {
  /** Waits for a place. @throws what the signal was aborted with */
  acquire(signal?: AbortSignal): Promise<void>
  release(): void
  /** An answer came: after 20 in a row there is room for one more. */
  answered(): void
  /** The server is asked too much: half as many from now on. */
  refused(): void
  /** Lets nobody in until `nap` is over, however it ends. */
  pauseWhile(nap: Promise<void>): void
  /** How many at the same time, at the moment. */
  limit(): number
}

/** So many answers in a row make room for one more. */
const CLEAN = 20

/**
 * A semaphore whose width follows the server. Refusals of requests that were under way when the last one narrowed it count
 * no further: a burst halves once.
 *
 * @param max never more than so many; default: as many as ask
 */
export function createLimiter(max: number = Infinity): Limiter {
  const waiting: Waiter[] = []
  let [width, active, clean, pauses, burst] = [max, 0, 0, 0, 0]
  const pump = (): void => {
    while (pauses === 0 && active < width) {
      const next = waiting.shift()
      if (next === undefined) return
      active += 1
      next.enter()
    }
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
        pump()
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
