import { createClient } from '../client/client.ts'
import type { CompletionRequest } from '../client/client.ts'
import { createRunFolder } from '../store/run-folder.ts'
import type { Suite } from '../trace/task.ts'
import { walkBatch } from './batch-episodes.ts'
import type { PendingRequest } from './batch-episodes.ts'
import { continueRun } from '../store/continue-run.ts'
import type { OpenOptions } from '../store/open-run.ts'
import { resolveConfig } from '../run/run-config.ts'
import type { RunConfig } from '../run/run-config.ts'
import { RunError } from '../trace/run-error.ts'

/** A line of the file that a batch service takes. */
export interface BatchRequest {
  readonly custom_id: string
  readonly method: 'POST'
  readonly url: '/v1/chat/completions' | '/v1/completions'
  readonly body: Readonly<Record<string, unknown>>
}

/** What is exported, and who takes it. */
export interface ExportBatchOptions extends OpenOptions {
  /** Takes every request, in the order of the plan; the next one comes when it is done with this one. */
  readonly write: (request: BatchRequest) => void | Promise<void>
  /** Whether episodes whose request failed are asked again. */
  readonly retryErrors?: boolean
  /** Has to be given where tools are code. */
  readonly suite?: Suite
}

/**
 * Makes the folder of a run whose replies come from elsewhere.
 *
 * @returns the folder
 * @throws RunError when it cannot be made
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
 * Gives the next request of every episode of a run that has not come to its end, in the format of OpenAI's batches. Where an
 * episode is one turn, that is all there is to ask; others go on with `importBatch` and another export.
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
  const { stream: _stream, ...body } = await bodyOf(request)
  const url = 'prompt' in request ? '/v1/completions' : '/v1/chat/completions'
  return { custom_id: id, method: 'POST', url, body }
}

/** What the client would send: it is asked to send it. */
async function bodyOf(request: CompletionRequest): Promise<Readonly<Record<string, unknown>>> {
  let sent = '{}'
  const client = createClient({
    baseUrl: 'http://batch.invalid/v1',
    apiKey: 'EMPTY',
    timeoutMs: 60_000,
    maxRetries: 0,
    stream: false,
    fetch: async (_, init) => {
      if (typeof init?.body === 'string') sent = init.body
      return new Response('{}')
    },
  })
  await client.complete(request)
  return JSON.parse(sent) as Readonly<Record<string, unknown>>
}
