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
