import type { Client, CompletionRequest } from '../client/client.ts'
import type { Completion } from '../trace/completion.ts'
import { CompletionError } from '../client/failure.ts'
import { isRecord } from '../text/json.ts'
import type { JsonRecord } from '../text/json.ts'
import { readStored, toStored } from '../client/stored-completion.ts'
import type { Attempted } from '../client/retry.ts'
import { canonicalJson, sha256 } from '../text/canonical-json.ts'
import { isOfModel } from '../trace/failure.ts'
import type { Failure } from '../trace/failure.ts'
import { RunError } from '../trace/run-error.ts'
import type { Toolbox } from '../trace/task.ts'
import type { TapeShelf } from './shelf.ts'
import { openTapeFile } from './tape-file.ts'
import { tapedToolbox } from './tape-tools.ts'

/**
 * - `record`: asks for everything and writes it down, on a new tape
 * - `auto`: takes what the tape holds, asks for the rest and adds it
 * - `strict`: takes everything from the tape and asks nobody; what is missing ends the run
 */
export type TapeMode = 'record' | 'auto' | 'strict'

/** What a tape has done so far. */
export interface TapeCounts {
  readonly replayed: number
  readonly recorded: number
}

/** A record of what models and tools answered. */
export interface Tape {
  /** @param scope keeps models apart that have the same name on two servers */
  client(client: Client, scope: string): Client
  toolbox(toolbox: Toolbox): Toolbox
  counts(): TapeCounts
  close(): void
}

/**
 * Opens a tape. A line is filed under a hash of what decides the answer, and of which sample of it is wanted: a request
 * without how it travels, or a call with all calls before it. Of errors, only those are kept that say something about the
 * prompt or the model: too long, refused, without an end, or unreadable to its server.
 *
 * @throws RunError for a file that is no tape, is missing, or is there already
 */
export function openTape(path: string, mode: TapeMode): Tape {
  const file = openTapeFile(path, { writes: mode !== 'strict', reads: mode !== 'record' })
  const counts = { replayed: 0, recorded: 0 }
  const shelf: TapeShelf = {
    answer: async ({ kind, key, about }, { read, write, ask }) => {
      const line = mode === 'record' ? null : file.take(kind, key)
      const known = line === null ? null : read(line)
      if (known !== null) {
        counts.replayed += 1
        return known
      }
      if (line !== null)
        throw new RunError(`${path} holds something that is no answer for ${about}. Was it changed by hand?`)
      if (mode === 'strict')
        throw new RunError(
          `${path} holds no answer for ${about}. Give the models, formats and tasks with which it was recorded, or record it again`,
        )
      const answer = await ask()
      const members = write(answer)
      if (members !== null) {
        file.append({ kind, key, ...members })
        counts.recorded += 1
      }
      return answer
    },
  }
  return {
    client: (client, scope) => ({
      ...client,
      complete: (request, signal) => replyFrom(shelf, { client, scope, request, signal }),
    }),
    toolbox: (toolbox) => tapedToolbox(toolbox, shelf),
    counts: () => ({ ...counts }),
    close: () => file.close(),
  }
}

interface Asked {
  readonly client: Client
  readonly scope: string
  readonly request: CompletionRequest
  readonly signal: AbortSignal | undefined
}

function replyFrom(shelf: TapeShelf, { client, scope, request, signal }: Asked): Promise<Attempted<Completion>> {
  const { sample = 0, ...sent } = request
  const key = sha256(canonicalJson({ scope, sample, sent }))
  const about = `a request to ${JSON.stringify(scope)} (sample ${sample})`
  return shelf.answer(
    { kind: 'reply', key, about },
    {
      read: readReplyLine,
      write: (outcome) => {
        if (outcome.kind === 'done') return { sample, attempts: outcome.attempts, completion: toStored(outcome.value) }
        const { failure, partial } = outcome.error
        if (isOfModel(failure) && partial !== null)
          return { sample, attempts: outcome.attempts, failure, completion: toStored(partial) }
        return isOfPrompt(failure) ? { sample, attempts: outcome.attempts, failure } : null
      },
      ask: () => client.complete(request, signal),
    },
  )
}

function readReplyLine({ attempts: given, completion, failure }: JsonRecord): Attempted<Completion> | null {
  const attempts = typeof given === 'number' ? given : 1
  const stored = readStored(completion)
  const value = stored === null ? null : { ...stored, cached: false }
  if (isRecord(failure)) {
    const error = readFailure(failure)
    if (error === null || (isOfModel(error) && value === null)) return null
    return { kind: 'failed', error: new CompletionError(error, { isRetryable: false, partial: value }), attempts }
  }
  return value === null ? null : { kind: 'done', value, attempts }
}

/** Failures that say something about the prompt or the model. */
const REPLAYED = ['context', 'refused', 'never-ends', 'unparsed-output'] as const

function isOfPrompt({ kind }: Failure): boolean {
  return kind === 'context' || kind === 'refused'
}

function readFailure({ kind, status, message }: JsonRecord): Failure | null {
  const known = REPLAYED.find((each) => each === kind)
  if (known === undefined || typeof message !== 'string') return null
  return { kind: known, status: typeof status === 'number' ? status : null, message }
}
