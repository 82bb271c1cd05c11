/** What ends an attempt. */
export interface Deadline {
  readonly timeoutMs: number
  /** Of the caller. */
  readonly signal: AbortSignal | undefined
}

/**
 * Runs `work` with a signal that is aborted at the deadline or with the caller's signal. Afterwards no listener and no timer is left;
 * `AbortSignal.any` and `timeout` would leave one of each per request.
 *
 * @throws the reason of the caller's signal; after the deadline, what `late` makes of the error; otherwise what `work` throws
 */
export async function withDeadline<T>(
  { timeoutMs, signal }: Deadline,
  late: (error: unknown) => unknown,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  const forget = onAbort(signal, abort)
  try {
    return await work(controller.signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw controller.signal.aborted ? late(error) : error
  } finally {
    clearTimeout(timer)
    forget()
  }
}

/** The functions to call when a signal is aborted. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `act` when the signal is aborted, unless the returned function is called first. The signal must not be aborted yet. It has one
 * listener for all: a run has hundreds of requests in flight, and Node reports more than ten listeners as a leak.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => {}
  const acts = waiting.get(signal) ?? listen(signal)
  acts.add(act)
  return () => void acts.delete(act)
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>()
  waiting.set(signal, acts)
  const abort = (): void => {
    for (const act of acts) act()
    acts.clear()
  }
  signal.addEventListener('abort', abort, { once: true })
  return acts
}

/** Waits; rejects with the reason of the signal. Tests pass one that returns at once. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
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
