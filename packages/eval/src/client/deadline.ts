/** The limits of one attempt. */
export interface Deadline {
  readonly timeoutMs: number
  /** Of the caller. */
  readonly signal: AbortSignal | undefined
}

/**
 * Runs `work` under a signal that is aborted at the deadline, or with the caller's. Nothing of it is left afterwards:
 * `AbortSignal.any` and `timeout` would keep a listener and a timer for every request of a run.
 *
 * @throws what `work` throws; what `late` makes of it where the deadline was the cause, the caller's reason where that was
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

/** What is to be done when a signal is aborted, by signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `act` when the signal, which must not be so yet, is aborted, unless what comes back is called first. However many wait for a signal, it has one
 * listener: a run has hundreds of requests under way, and Node takes more than ten listeners for a leak.
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

/** Waits; rejects with the reason of the signal. Tests hand in one that does not take its time. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Waits in real time. */
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
