import type { CompletionRequest, Client, ClientOptions } from '../client/client.ts'
import { createClient, requestHash } from '../client/client.ts'
import type { ContinuedRun } from '../store/run-folder.ts'
import { createRunFolder, continueRun } from '../store/run-folder.ts'
import type { Suite } from '../trace/task.ts'
import { offeredTools } from '../trace/task.ts'
import type { OpenOptions } from '../store/open-run.ts'
import type { RunConfig } from '../run/run-config.ts'
import { resolveConfig } from '../run/run-config.ts'
import { RunError } from '../trace/run-error.ts'
import { evalFormat } from '../formats/table.ts'
import { settingsOf } from '../store/manifest.ts'
import { playEpisode } from '../play/play-episode.ts'
import type { RecordedStart } from '../store/journal-index.ts'
import { sha256 } from '../text/json.ts'
import type { Job, EpisodeKey, TraceLine } from '../trace/trace.ts'
import { keyText } from '../trace/trace.ts'

/** A line of the input file of a batch service. */
export interface BatchRequest {
  readonly custom_id: string
  readonly method: 'POST'
  readonly url: '/v1/chat/completions' | '/v1/completions'
  readonly body: Readonly<Record<string, unknown>>
}

export interface ExportBatchOptions extends OpenOptions {
  /** Receives every request, in the order of the plan; the next one comes after it has returned. */
  readonly write: (request: BatchRequest) => void | Promise<void>
  /** Whether episodes whose request failed are requested again. */
  readonly retryErrors?: boolean
  /** Required if tools are code. */
  readonly suite?: Suite
}

/**
 * Creates the folder of a run whose replies come from a batch service.
 *
 * @returns the folder
 * @throws RunError when it cannot be created
 */
export function beginRun(config: RunConfig, now: () => Date = () => new Date()): string {
  const { manifest, suiteFile } = resolveConfig({ stream: false, ...config }, now())
  const { reports = null, sharedFolder: isShared = false } = config
  if (reports === null) throw new RunError('a run needs a folder: name one with "reports"')
  const folder = createRunFolder({ parent: reports, manifest, suite: suiteFile, isShared })
  try {
    folder.make()
    return folder.path() ?? ''
  } finally {
    folder.close()
  }
}

/**
 * Writes the next request of every unfinished episode of a run, in the format of OpenAI's batches. Episodes of several turns continue
 * with `importBatch` and another export.
 *
 * @returns how many requests there are
 * @throws RunError what `continueRun` throws
 */
export async function exportBatch(folder: string, options: ExportBatchOptions): Promise<number> {
  const { write, retryErrors = false, suite, acceptEdited = false, ownFormats = [] } = options
  const run = continueRun(folder, { acceptEdited, ownFormats })
  let count = 0
  try {
    await walkBatch({
      run,
      suite,
      client: async (pending) => {
        await write(await batchRequest(pending))
        count += 1
        return null
      },
      repeats: () => retryErrors,
      write: run.folder.append,
    })
    return count
  } finally {
    run.folder.close()
    run.stored.close()
  }
}

async function batchRequest({ id, request }: PendingRequest): Promise<BatchRequest> {
  const { stream: _stream, ...body } = await batchRequestBody(request)
  const url = 'prompt' in request ? '/v1/completions' : '/v1/chat/completions'
  return { custom_id: id, method: 'POST', url, body }
}

/** The request that the client would send. */
async function batchRequestBody(request: CompletionRequest): Promise<Readonly<Record<string, unknown>>> {
  let sent = '{}'
  const client = clientOver(async (_, init) => {
    if (typeof init?.body === 'string') sent = init.body
    return new Response('{}')
  })
  await client.complete(request)
  return JSON.parse(sent) as Readonly<Record<string, unknown>>
}

/** A client without a server. */
export function clientOver(fetch: NonNullable<ClientOptions['fetch']>): Client {
  const address = { baseUrl: 'http://batch.invalid/v1', apiKey: 'EMPTY' }
  return createClient({ ...address, timeoutMs: 60_000, maxRetries: 0, stream: false, fetch })
}

/** A request of an episode that has no reply yet. */
export interface PendingRequest {
  /** The same for the same request of the same turn of an episode. */
  readonly id: string
  readonly key: EpisodeKey
  readonly turn: number
  readonly request: CompletionRequest
}

/** Answers a request; null if the reply will come later. */
export type BatchClient = (pending: PendingRequest) => Promise<Awaited<ReturnType<Client['complete']>> | null>

export interface BatchWalkOptions {
  readonly run: ContinuedRun
  /** Required if tools are code. */
  readonly suite?: Suite | undefined
  readonly client: BatchClient
  /** Whether an episode that failed on the way to the server is requested again; receives its failed request. */
  readonly repeats: (failed: PendingRequest) => boolean
  readonly write: (line: TraceLine) => void
}

/** Plays every unfinished episode, as far as there are replies, in the order of the plan. */
export async function walkBatch(options: BatchWalkOptions): Promise<void> {
  const { stored } = options.run
  if (stored.suite.hasOwnTools && options.suite?.toolbox === undefined)
    throw new RunError(`${stored.folder} uses tools that are code: give the configuration that it was begun with`)
  for (const job of stored.plan.jobs()) {
    const known = stored.episode(job.key)
    if (known.kind === 'missing') await playOn(job, NO_START, options)
    else if (known.kind === 'begun') await playOn(job, known.start, options)
    else if (known.isOutage) await playAgain(job, options)
  }
}

const NO_START: RecordedStart = { turns: [], calls: [] }

/** Ends an episode that has to wait; it is always caught in this file. */
class ReplyPending extends Error {}

async function playOn(job: Job, recorded: RecordedStart, options: BatchWalkOptions): Promise<void> {
  const { key, task } = job
  const { stored } = options.run
  const suite = options.suite ?? stored.suite
  let turn = recorded.turns.length
  const client: Client = {
    complete: async (request) => {
      const reply = await options.client(pendingOf(key, turn, request))
      turn += 1
      if (reply === null) throw new ReplyPending()
      return reply
    },
  }
  const settings = settingsOf(stored.manifest, key.model)
  const world = { tools: offeredTools(suite, task), toolbox: suite.toolbox, client, settings, clock: () => 0 }
  try {
    await playEpisode({
      key,
      task,
      format: evalFormat(key.protocol, stored.formats),
      ...world,
      write: options.write,
      recorded,
    })
  } catch (error) {
    if (!(error instanceof ReplyPending)) throw error
  }
}

async function playAgain(job: Job, options: BatchWalkOptions): Promise<void> {
  const { start, isBegun } = options.run.stored.retryStart(job.key)
  let isBegunNow = isBegun
  const write = (line: TraceLine): void => {
    // A reply replaces the failure from here on.
    if (!isBegunNow) options.write({ kind: 'retry', ...job.key, from: start.turns.length })
    isBegunNow = true
    options.write(line)
  }
  const client: BatchClient = async (pending) =>
    pending.turn > start.turns.length || options.repeats(pending) ? options.client(pending) : null
  await playOn(job, start, { ...options, client, write })
}

function pendingOf(key: EpisodeKey, turn: number, request: CompletionRequest): PendingRequest {
  const id = `callspec-${sha256(`${keyText(key)} ${turn} ${requestHash(request)}`).slice(0, 32)}`
  return { id, key, turn, request }
}
