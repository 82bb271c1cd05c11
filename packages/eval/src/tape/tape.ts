import type { Client } from '../client/client.ts'
import { CompletionError } from '../client/failure.ts'
import type { Attempted } from '../client/retry.ts'
import type { JsonRecord } from '../text/json.ts'
import { canonicalJson, sha256, isRecord } from '../text/json.ts'
import type { Completion, Failure, ChunkTime, NativeCall, ReplyWarning, Usage } from '../trace/completion.ts'
import { isOfModel, finishOf } from '../trace/completion.ts'
import type { Toolbox, StateValue, ToolCall, ToolReply, ToolSession } from '../trace/task.ts'
import type { TapeCounts, TapeKey, TapeMode, TapeSource, TapeStore } from './tape-store.ts'
import { openTapeStore } from './tape-store.ts'

/** A record of the answers of models and tools. */
export interface Tape {
  /** @param scope distinguishes models that have the same name on two servers */
  client(client: Client, scope: string): Client
  toolbox(toolbox: Toolbox): Toolbox
  counts(): TapeCounts
  close(): void
}

export interface TapeOptions {
  /**
   * Whether it only saves requests of later runs: replayed replies are marked `cached` and count as neither time nor cost. Failures, empty
   * replies and those that were cut off are not kept, so that the next run requests them again. Default: false.
   */
  readonly isCache?: boolean
}

/**
 * Opens a tape. The key of a line is a hash of everything that decides the answer and of the number of the sample: a request without how
 * it is sent, or a call with all calls before it. Of failures only those of the prompt or the model are kept: too long, refused,
 * without an end, or unreadable to the server.
 *
 * @throws RunError for a file that is not a tape, is missing, or exists already
 */
export function openTape(path: string, mode: TapeMode, { isCache = false }: TapeOptions = {}): Tape {
  const store = openTapeStore(path, mode)
  return {
    client: (client, scope) => ({
      ...client,
      complete: (request, signal) => {
        const { sample = 0, ...sent } = request
        const hash = sha256(canonicalJson({ scope, sample, sent }))
        const description = `a request to ${JSON.stringify(scope)} (sample ${sample})`
        const key: TapeKey = { kind: 'reply', hash, description }
        const source = replySource(sample, () => client.complete(request, signal))
        return store.getOrRecord(key, isCache ? cachedOnly(source) : source)
      },
    }),
    toolbox: (toolbox) => tapedToolbox(toolbox, store),
    counts: store.counts,
    close: store.close,
  }
}

type ReplySource = TapeSource<Attempted<Completion>>

function replySource(sample: number, request: ReplySource['request']): ReplySource {
  return {
    request,
    read: readReplyLine,
    write: (outcome) => {
      const { attempts } = outcome
      if (outcome.kind === 'done') return { sample, attempts, completion: toStored(outcome.value) }
      const { failure, partial } = outcome.error
      if (isOfModel(failure) && partial !== null) return { sample, attempts, failure, completion: toStored(partial) }
      return isOfPrompt(failure) ? { sample, attempts, failure } : null
    },
  }
}

function cachedOnly({ request, read, write }: ReplySource): ReplySource {
  return {
    request,
    read: (line) => {
      const outcome = read(line)
      return outcome?.kind === 'done' ? { ...outcome, value: { ...outcome.value, cached: true }, attempts: 0 } : outcome
    },
    write: (outcome) => (outcome.kind === 'done' && isWorthKeeping(outcome.value) ? write(outcome) : null),
  }
}

function isWorthKeeping({ text, reasoning, toolCalls, finishReason }: Completion): boolean {
  const isEmpty = text.trim() === '' && reasoning.trim() === '' && toolCalls.length === 0
  return !isEmpty && finishOf(finishReason) !== 'length'
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

/** Failures of the prompt or the model. */
const REPLAYED = ['context', 'refused', 'never-ends', 'unparsed-output'] as const

function isOfPrompt({ kind }: Failure): boolean {
  return kind === 'context' || kind === 'refused'
}

function readFailure({ kind, status, message }: JsonRecord): Failure | null {
  const known = REPLAYED.find((each) => each === kind)
  if (known === undefined || typeof message !== 'string') return null
  return { kind: known, status: typeof status === 'number' ? status : null, message }
}

/**
 * Tools whose answers come from a tape or are recorded on it. An answer of a tool depends on the calls before it, so its key contains all of
 * them; the same applies to the state of the world at the end.
 */
export function tapedToolbox(toolbox: Toolbox, store: TapeStore): Toolbox {
  return (task, sample = 0) => {
    const where = `in ${task.id} (sample ${sample})`
    const real = lateSession(() => toolbox(task, sample))
    let past = sha256(canonicalJson({ task: task.id, sample }))
    return {
      call: (call) => {
        past = sha256(canonicalJson([past, call.name, call.arguments]))
        const key: TapeKey = {
          kind: 'tool',
          hash: past,
          description: `the call of ${JSON.stringify(call.name)} ${where}`,
        }
        const request = real.add(call)
        return store.getOrRecord(key, {
          request,
          read: readToolReply,
          write: ({ text, isError }) => ({ text, isError }),
        })
      },
      stateAt: async (path) => {
        const hash = sha256(canonicalJson([past, path]))
        const request = async (): Promise<TapeState> => ({ value: await (await real.caughtUp()).stateAt(path) })
        const key: TapeKey = { kind: 'state', hash, description: `the state ${path} ${where}` }
        return (await store.getOrRecord(key, { request, read: readState, write: ({ value }) => ({ value }) })).value
      },
    }
  }
}

/** The real tools of an episode. They start when an answer is missing, with all calls before it. */
interface LateSession {
  /** Records a call; the returned function makes it. */
  add(call: ToolCall): () => Promise<ToolReply>
  caughtUp(): Promise<ToolSession>
}

function lateSession(begin: () => ToolSession): LateSession {
  const calls: ToolCall[] = []
  let made = 0
  let session: ToolSession | null = null
  const upTo = async (end: number): Promise<ToolSession> => {
    session ??= begin()
    for (; made < end; made += 1) {
      const call = calls[made]
      if (call !== undefined) await session.call(call)
    }
    return session
  }
  return {
    add: (call) => {
      const at = calls.push(call) - 1
      return async () => {
        const tools = await upTo(at)
        made = at + 1
        return tools.call(call)
      }
    },
    caughtUp: () => upTo(calls.length),
  }
}

interface TapeState {
  readonly value: StateValue
}

function readToolReply({ text, isError }: Readonly<Record<string, unknown>>): ToolReply | null {
  return typeof text === 'string' && typeof isError === 'boolean' ? { text, isError } : null
}

function readState({ value }: Readonly<Record<string, unknown>>): TapeState | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? { value: value as StateValue }
    : null
}

/** A completion in a file: everything except whether it came from a cache. */
export type StoredCompletion = Omit<Completion, 'cached'>

export function toStored({ cached: _cached, ...stored }: Completion): StoredCompletion {
  return stored
}

/** Null for a value that is not a stored completion. */
export function readStored(value: unknown): StoredCompletion | null {
  if (!isRecord(value)) return null
  const { id, text, reasoning, toolCalls, finishReason, usage, ms, chunks, warnings } = value
  const { servedModel, fingerprint } = value
  if (typeof id !== 'string' || typeof text !== 'string' || typeof reasoning !== 'string') return null
  if (typeof ms !== 'number' || !isListOf(toolCalls, isNativeCall) || !isListOf(warnings, isText)) return null
  if ((finishReason !== null && typeof finishReason !== 'string') || (usage !== null && !isUsage(usage))) return null
  if (chunks !== undefined && !isListOf(chunks, isChunkTime)) return null
  const server = { ...(isText(servedModel) ? { servedModel } : {}), ...(isText(fingerprint) ? { fingerprint } : {}) }
  const said = { id, ...server, text, reasoning, toolCalls, finishReason, usage, ms }
  return { ...said, ...(chunks === undefined ? {} : { chunks }), warnings: warnings as readonly ReplyWarning[] }
}

function isListOf<T>(value: unknown, isOne: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isOne)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNativeCall(value: unknown): value is NativeCall {
  return isRecord(value) && isText(value['id']) && isText(value['name']) && isText(value['arguments'])
}

function isUsage(value: unknown): value is Usage {
  if (!isRecord(value)) return false
  const { prompt, completion, reasoning = 0, cached = 0 } = value
  return [prompt, completion, reasoning, cached].every((count) => typeof count === 'number')
}

function isChunkTime(value: unknown): value is ChunkTime {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number')
}
