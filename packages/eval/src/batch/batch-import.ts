import type { Format } from '@callspec/core'
import { createClient } from '../client/client.ts'
import type { Client, CompletionRequest } from '../client/client.ts'
import type { Suite } from '../trace/task.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import { MAX_PROBLEMS, readBatchAnswers } from './batch-answers.ts'
import type { BatchAnswer, BatchAnswers } from './batch-answers.ts'
import { walkBatch } from './batch-episodes.ts'
import type { BatchClient } from './batch-episodes.ts'
import { continueRun } from '../store/continue-run.ts'
import type { OpenOptions } from '../store/open-run.ts'
import { scoreStored } from '../store/rescore.ts'
import { keyText } from '../trace/trace.ts'

/** The result of importing the output file of a batch. */
export interface BatchImport {
  /** How many replies were taken into the run, and how many of them are failures. */
  readonly imported: number
  readonly failed: number
  /** Requests that the file has no answer for: how many, and the first of them. */
  readonly missing: number
  readonly firstMissing: readonly string[]
  /** Lines that answer nothing that this run is waiting for, such as those that were imported before. */
  readonly unused: number
  /** Lines that could not be read, or answer a request again. */
  readonly problems: readonly string[]
  /** Requests that the replies lead to: export again. */
  readonly next: number
  /** How many episodes have ended, and of how many. */
  readonly ended: number
  readonly episodes: number
  /** Of the episodes that have ended. */
  readonly summary: EvalSummary
}

/** How the file is taken in. */
export interface ImportOptions extends OpenOptions {
  /** Has to be given where tools are code. */
  readonly suite?: Suite
  readonly now?: () => Date
}

/**
 * Takes the output file of a batch into the run whose requests it answers. The order of its lines is of no matter; importing
 * a file again changes nothing. The run is then scored like any other.
 *
 * @throws RunError what `continueRun` throws, and when the file cannot be read
 */
export async function importBatch(
  folder: string,
  file: string,
  { suite, now = () => new Date(), acceptEdited = false, ownFormats = [] }: ImportOptions = {},
): Promise<BatchImport> {
  const answers = readBatchAnswers(file)
  try {
    const count = await takeAnswers(folder, answers, { suite, acceptEdited, ownFormats })
    return { ...count, problems: answers.problems, ...scoreAgain(folder, now, { suite, ownFormats }) }
  } finally {
    answers.close()
  }
}

type Counts = Pick<BatchImport, 'imported' | 'failed' | 'missing' | 'firstMissing' | 'unused' | 'next'>

async function takeAnswers(
  folder: string,
  answers: BatchAnswers,
  { suite, ...opening }: OpenOptions & { readonly suite: Suite | undefined },
): Promise<Counts> {
  const run = continueRun(folder, opening)
  const used = new Set<string>()
  const firstMissing: string[] = []
  let [failed, missing, next] = [0, 0, 0]
  const went = new Set<string>()
  const take: BatchClient = async ({ id, key, request }) => {
    const episode = keyText(key)
    const answer = answers.answer(id)
    if (answer === null) {
      if (went.has(episode)) next += 1
      else if (missing < MAX_PROBLEMS) firstMissing.push(id)
      if (!went.has(episode)) missing += 1
      return null
    }
    went.add(episode)
    used.add(id)
    const outcome = await read(answer, request)
    if (outcome.kind === 'failed') failed += 1
    return outcome
  }
  try {
    await walkBatch({
      run,
      suite,
      client: take,
      // A failure that is in the file again is no reason to retry.
      repeats: ({ id }) => isReply(answers.answer(id)),
      write: (line) => run.folder.append(line.kind === 'turn' ? { ...line, ms: null } : line),
    })
  } finally {
    run.folder.close()
    run.stored.close()
  }
  const imported = used.size
  return { imported, failed, missing, firstMissing, unused: answers.ids.size - imported, next }
}

function isReply(answer: BatchAnswer | null): boolean {
  return answer !== null && answer.status < 300
}

/** As if it had come over HTTP. */
async function read({ status, body }: BatchAnswer, request: CompletionRequest): ReturnType<Client['complete']> {
  const client = createClient({
    baseUrl: 'http://batch.invalid/v1',
    apiKey: 'EMPTY',
    timeoutMs: 60_000,
    maxRetries: 0,
    stream: false,
    fetch: async () => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } }),
  })
  return client.complete(request)
}

function scoreAgain(
  path: string,
  now: () => Date,
  { suite, ownFormats }: { readonly suite: Suite | undefined; readonly ownFormats: readonly Format[] },
): Pick<BatchImport, 'ended' | 'episodes' | 'summary'> {
  const { folder, stored } = continueRun(path, { ownFormats })
  try {
    const summary = scoreStored(stored, folder, suite === undefined ? {} : { suite })
    const [ended, episodes] = [stored.ended, stored.plan.length]
    if (ended === episodes) folder.finish(now())
    return { ended, episodes, summary }
  } finally {
    folder.close()
    stored.close()
  }
}
