import type { ChunkTime, Completion, NativeCall, ReplyWarning, Usage } from '../trace/completion.ts'
import { isRecord } from '../text/json.ts'

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
