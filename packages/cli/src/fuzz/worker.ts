import { parentPort, workerData } from 'node:worker_threads'
import { isLawId, lawsNamed, searchViolations } from '@callspec/fuzz'
import type { SearchResult } from '@callspec/fuzz'
import { chooseSubject } from './choose-subject.ts'
import { searchIn } from './search-options.ts'

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
}

/** What a thread sends back. */
export type WorkerReply =
  | { readonly kind: 'found'; readonly result: SearchResult }
  | { readonly kind: 'threw'; readonly name: string; readonly message: string }

const port = parentPort
if (port !== null) {
  const { format, profile, texts } = workerData as WorkerSetup
  const chosen = chooseSubject({ format, profile, impl: null, jobs: 1, timeLimit: 0 })
  port.on('message', (job: WorkerJob) => {
    void reply(job).then((answer) => port.postMessage(answer))
  })
  const reply = async ({ seed, runs, laws }: WorkerJob): Promise<WorkerReply> => {
    try {
      const { subject } = await chosen
      if (!('answer' in subject)) throw new Error('a thread searches formats of this process only')
      const options = { seed, runs, laws: lawsNamed(laws.filter(isLawId)), ...searchIn(texts, subject) }
      return { kind: 'found', result: searchViolations(subject, options) }
    } catch (error) {
      return error instanceof Error
        ? { kind: 'threw', name: error.name, message: error.message }
        : { kind: 'threw', name: 'Error', message: String(error) }
    }
  }
}
