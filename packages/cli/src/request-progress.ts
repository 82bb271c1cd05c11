import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Output } from './output.ts'
import type { WorkProgress } from './work-progress.ts'
import { workProgress } from './work-progress.ts'

/** A display that runs until it is stopped. */
export interface RunningProgress {
  stop(): void
}

/** Where Node's `fetch` reports that a reply has been received whole. */
const ANSWERED = 'undici:request:trailers'
/** A slow server answers seldom: the time is shown in between, too. */
const REFRESH_MS = 500

/**
 * Shows how many requests of this process a server has answered, as `workProgress` does: after two seconds, on a terminal, nothing in a pipe.
 *
 * @param about how many are sent where all goes well; further ones leave the time at 0 s
 */
export function requestProgress(output: Output, about: number): RunningProgress {
  if (!output.showsProgress) return { stop: () => undefined }
  const progress = workProgress({ output, noun: 'request' })
  let answered = 0
  const show = (): void => progress.step(answered, answered / about)
  const onAnswer = (): void => {
    answered += 1
    show()
  }
  subscribe(ANSWERED, onAnswer)
  const timer = setInterval(show, REFRESH_MS).unref()
  return {
    stop: () => {
      unsubscribe(ANSWERED, onAnswer)
      clearInterval(timer)
      output.progressDone()
    },
  }
}

/** A conversation is one request, and some seventy are tried on a template. */
const REQUESTS_OF_A_LINT = 70

/** The progress of work on templates one after the other: by template, or by request where one of them is asked of a server. */
export function sourcesProgress(output: Output, sources: readonly string[]): WorkProgress & RunningProgress {
  const servers = sources.filter((source) => /^https?:/i.test(source)).length
  if (servers > 0) return { step: () => undefined, ...requestProgress(output, servers * REQUESTS_OF_A_LINT) }
  const progress = workProgress({ output, noun: 'template', of: sources.length })
  return { ...progress, stop: () => output.progressDone() }
}
