import { searchViolations } from '@callspec/fuzz'
import type { Law, SearchResult } from '@callspec/fuzz'
import type { BatchSearch, Budget } from './campaign.ts'
import type { ChosenSubject } from './choose-subject.ts'
import type { WorkerPool } from './in-workers.ts'
import { dueEvery, searchIn } from './search-options.ts'

/** Ends a campaign, also while it waits for answers. */
export interface End {
  readonly signal: AbortSignal
  readonly stop: () => void
}

/** Ends with the time of a budget, and when it is interrupted. */
export function endOf(budget: Budget, interrupted: AbortSignal): End {
  const end = new AbortController()
  const abort = (): void => end.abort()
  const timer = budget.kind === 'time' ? setTimeout(abort, budget.ms) : null
  interrupted.addEventListener('abort', abort)
  return {
    signal: end.signal,
    stop: () => {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** How long a search goes on before Ctrl-C gets its turn. */
const TURN_MS = 50

/** A batch, and with what it is searched. */
export interface OneSearch extends BatchSearch {
  readonly threads: WorkerPool | null
  readonly texts: readonly string[] | null
  readonly path: string | null
  readonly laws: readonly Law[]
  readonly signal: AbortSignal
}

/** Searches one batch, in this process, in a thread, or with a program; ends when the campaign does. */
export async function searchOnce({ subject }: ChosenSubject, search: OneSearch): Promise<SearchResult> {
  const { threads, texts, seed, runs, path, laws, known, isOver, signal } = search
  if (threads !== null && path === null) {
    const causes = known.map(({ law, breach }) => ({ law, breach }))
    return threads.search({ seed, runs, laws: laws.map(({ id }) => id), known: causes })
  }
  const options = { laws, seed, runs, known, ...(path === null ? {} : { path }), ...searchIn(texts, subject) }
  if (!('answer' in subject)) return searchViolations(subject, { ...options, signal })
  const turns = dueEvery(TURN_MS, async () => new Promise((resolve) => setImmediate(resolve)))
  return searchViolations(subject, { ...options, isOver, ...turns })
}
