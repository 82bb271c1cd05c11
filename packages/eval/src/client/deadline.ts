import { onAbort } from './on-abort.ts'

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
