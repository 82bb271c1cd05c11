import { plural } from '@callspec/eval/text'
import type { Output } from './output.ts'
import { inert } from './output.ts'

/** A work in steps, such as the files of a folder. */
export interface Work {
  readonly output: Output
  /** What is counted: `template`. */
  readonly noun: string
  /** How many there are; absent if that is not known. */
  readonly of?: number | undefined
  /** Milliseconds from any start. Default: that of the process. */
  readonly clock?: () => number
}

/** How far a work is. */
export interface WorkProgress {
  /**
   * @param done how many are done
   * @param share how much of the work that is, from 0 to 1, where their number is not known
   */
  step(done: number, share?: number): void
}

/** Shorter works show nothing. */
const PATIENCE_MS = 2000
/** Shortest time between two updates of the terminal. */
const INTERVAL_MS = 100

/**
 * Shows `12 of 40 templates · 3.2/s · 9 s left` on a terminal, once a work has taken two seconds; nothing in a pipe (`output.progress`). End it
 * with `output.progressDone()`.
 */
export function workProgress({ output, noun, of, clock = () => performance.now() }: Work): WorkProgress {
  if (!output.showsProgress) return { step: () => undefined }
  const began = clock()
  let shown = -Infinity
  return {
    step: (done, share) => {
      const now = clock()
      if (now - began < PATIENCE_MS || now - shown < INTERVAL_MS) return
      shown = now
      const count = of === undefined ? plural(done, noun) : `${done} of ${plural(of, noun)}`
      output.progress([count, ...pace(now - began, { done, share: share ?? shareOf(done, of) })].join(' · '))
    },
  }
}

/** Says on a terminal what is waited for, once that has taken two seconds; nothing in a pipe. @returns what ends the waiting */
export function noteWait(message: string): () => void {
  const timer = setTimeout(
    () => process.stderr.isTTY && process.stderr.write(inert(`callspec: ${message}\n`)),
    PATIENCE_MS,
  )
  return () => clearTimeout(timer)
}

function shareOf(done: number, of: number | undefined): number | null {
  return of === undefined || of === 0 ? null : done / of
}

/** The rate and, where it is known how much of the work is done, the time left: `3.2/s`, `9 s left`. */
export function pace(
  elapsedMs: number,
  { done, share }: { readonly done: number; readonly share: number | null },
): readonly string[] {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1)
  const rate = `${perSecond >= 100 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`
  if (share === null || share <= 0) return [rate]
  return [rate, `${timeText((elapsedMs * (1 - Math.min(share, 1))) / share)} left`]
}

/** `15 s`, `3 min`, `2.5 h`. */
export function timeText(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
