import type { Format } from '@callspec/core'
import type { Client, CompletionRequest } from '../client/client.ts'
import type { Suite } from '../trace/task.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import type { BatchClient } from './batch-export.ts'
import { clientOver, walkBatch } from './batch-export.ts'
import { continueRun } from '../store/run-folder.ts'
import type { OpenOptions } from '../store/open-run.ts'
import { scoreStored } from '../store/run-report.ts'
import { keyText } from '../trace/trace.ts'
import { fileLines, openFile } from '../store/file-lines.ts'
import { parsedJson } from '../text/json.ts'
import { RunError } from '../trace/run-error.ts'

/** The result of importing the output file of a batch. */
export interface BatchImport {
  /** How many replies were added to the run, and how many of them are failures. */
  readonly imported: number
  readonly failed: number
  /** Requests without an answer in the file: how many, and the first of them. */
  readonly missing: number
  readonly firstMissing: readonly string[]
  /** Lines that answer no open request of this run, such as those that were imported before. */
  readonly unused: number
  /** Lines that could not be read, or answer a request again. */
  readonly problems: readonly string[]
  /** Requests that follow from the replies: export again. */
  readonly next: number
  /** How many episodes have ended, and of how many. */
  readonly ended: number
  readonly episodes: number
  /** The summary of the episodes that have ended. */
  readonly summary: EvalSummary
}

export interface ImportOptions extends OpenOptions {
  /** Required if tools are code. */
  readonly suite?: Suite
  readonly now?: () => Date
}

/**
 * Adds the output file of a batch to the run whose requests it answers. The order of its lines does not matter; importing a file again
 * changes nothing. The run is then scored like any other.
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
      // A failure that is in the file again is not retried.
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

/** The result that the client would have had over HTTP. */
async function read({ status, body }: BatchAnswer, request: CompletionRequest): ReturnType<Client['complete']> {
  const headers = { 'content-type': 'application/json' }
  return clientOver(async () => new Response(JSON.stringify(body), { status, headers })).complete(request)
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

/** One answer of a batch: the reply of the server. */
export interface BatchAnswer {
  readonly status: number
  readonly body: unknown
}

/** The output file of a batch service, read by the ids of the requests, in any order. */
export interface BatchAnswers {
  readonly ids: ReadonlySet<string>
  /** Null if the file has no answer. */
  answer(id: string): BatchAnswer | null
  /** Unreadable lines, as `line 7: …`; at most `MAX_PROBLEMS`, then how many more. */
  readonly problems: readonly string[]
  close(): void
}

export const MAX_PROBLEMS = 20

/**
 * Reads the output file of a batch. Memory grows by some bytes per line.
 *
 * @throws RunError when it cannot be read, or is another kind of file
 */
export function readBatchAnswers(path: string): BatchAnswers {
  const places = new Map<string, readonly [offset: number, length: number]>()
  const problems: string[] = []
  let hidden = 0
  const tell = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
    else hidden += 1
  }
  for (const { number, offset, length, text } of fileLines(path)) {
    if (text.trim() === '') continue
    const read = readLine(text)
    if (read.kind === 'unreadable') tell(`line ${number}: ${read.reason}`)
    else if (places.has(read.id)) tell(`line ${number}: ${JSON.stringify(read.id)} has been answered before`)
    else places.set(read.id, [offset, length])
  }
  if (places.size === 0 && problems.length > 0)
    throw new RunError(`${path} is no output of a batch: ${problems[0] ?? ''}. It holds one JSON object per request.`)
  if (hidden > 0) problems.push(`and ${hidden} more`)
  const file = openFile(path)
  return {
    ids: new Set(places.keys()),
    answer: (id) => {
      const place = places.get(id)
      if (place === undefined) return null
      const read = readLine(file.textAt(...place))
      return read.kind === 'answer' ? read.answer : null
    },
    problems,
    close: () => file.close(),
  }
}

type ReadLine =
  | { readonly kind: 'answer'; readonly id: string; readonly answer: BatchAnswer }
  | { readonly kind: 'unreadable'; readonly reason: string }

function readLine(text: string): ReadLine {
  const value = parsedJson(text)
  if (value === undefined) return { kind: 'unreadable', reason: 'this is no JSON' }
  const { custom_id: id, response, error } = recordOf(value)
  if (typeof id !== 'string') return { kind: 'unreadable', reason: 'it has no "custom_id"' }
  const { status_code: status, body } = recordOf(response)
  if (body !== undefined && body !== null) {
    const known = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status < 600 ? status : 200
    return { kind: 'answer', id, answer: { status: known, body } }
  }
  const told = error ?? { message: 'the batch holds neither a response nor an error' }
  return { kind: 'answer', id, answer: { status: 500, body: { error: errorOf(told) } } }
}

/** Some services give a text. */
function errorOf(error: unknown): object {
  const { message, code } = recordOf(error)
  const text = typeof error === 'string' ? error : typeof message === 'string' ? message : JSON.stringify(error)
  return { message: text, ...(typeof code === 'string' ? { code } : {}) }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
