import type { Output } from '../output.ts'

/** How a run is ended from outside. */
export interface Interrupt {
  /** Nothing new is asked; replies that are under way are waited for. */
  readonly drain: AbortSignal
  /** Everything ends at once. */
  readonly signal: AbortSignal
  stop(): void
}

/** How long replies that are under way are waited for: whoever ends a container waits no longer either. */
const GRACE_MS = 10_000

/**
 * Listens for Ctrl-C and its relatives. The first one waits for the replies that are under way, at most ten seconds: they
 * have been paid for. The second one ends everything at once.
 *
 * @param note what is said after the first one
 */
export function listenForInterrupt(output: Output, note: string = WAITING): Interrupt {
  const drain = new AbortController()
  const abort = new AbortController()
  let grace: ReturnType<typeof setTimeout> | null = null
  const interrupted = (): void => {
    if (drain.signal.aborted) {
      abort.abort()
      return
    }
    drain.abort()
    output.note(note)
    grace = setTimeout(() => abort.abort(), GRACE_MS).unref()
  }
  for (const signal of SIGNALS) process.on(signal, interrupted)
  return {
    drain: drain.signal,
    signal: abort.signal,
    stop: () => {
      if (grace !== null) clearTimeout(grace)
      for (const signal of SIGNALS) process.off(signal, interrupted)
    },
  }
}

const WAITING = 'callspec: stopping: waiting for the replies that are under way. Ctrl-C again ends at once.'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
