import { parentPort, workerData } from 'node:worker_threads'
import { beginSearch, isLawId, lawsNamed } from '@callspec/fuzz'
import type { KnownCause, SearchResult } from '@callspec/fuzz'
import { chooseSubject } from './choose-subject.ts'
import { searchIn } from './search-options.ts'
import { STOP } from './stop-word.ts'

/** What a thread needs to build the parser. */
export interface WorkerSetup {
  readonly format: string
  readonly profile: string | null
  readonly texts: readonly string[] | null
}

/** One batch of texts. */
export interface WorkerJob {
  readonly seed: number
  readonly runs: number
  readonly laws: readonly string[]
  readonly known: readonly KnownCause[]
}

/** What a thread sends back. */
export type WorkerReply =
  | { readonly kind: 'found'; readonly result: SearchResult }
  | { readonly kind: 'threw'; readonly name: string; readonly message: string }

const port = parentPort
if (port !== null) {
  const { format, profile, texts } = workerData as WorkerSetup
  const chosen = chooseSubject({ format, profile, impl: null, jobs: 1, timeLimit: 0 })
  let isOver = false
  port.on('message', (job: WorkerJob | typeof STOP) => {
    if (job === STOP) isOver = true
    else void reply(job).then((answer) => port.postMessage(answer))
  })
  const reply = async ({ seed, runs, laws, known }: WorkerJob): Promise<WorkerReply> => {
    try {
      const { subject } = await chosen
      if (!('answer' in subject)) throw new Error('a thread searches formats of this process only')
      const options = { seed, runs, laws: lawsNamed(laws.filter(isLawId)), known, ...searchIn(texts, subject) }
      const search = beginSearch(subject, options)
      // A word from outside gets its turn between two steps.
      while (!isOver && search.step()) await new Promise((resolve) => setImmediate(resolve))
      return { kind: 'found', result: search.result() }
    } catch (error) {
      return error instanceof Error
        ? { kind: 'threw', name: error.name, message: error.message }
        : { kind: 'threw', name: 'Error', message: String(error) }
    }
  }
}
