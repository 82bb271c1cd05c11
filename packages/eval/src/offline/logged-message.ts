import { MAX_RECORD_UNITS } from './read-records.ts'
import { parsedJson, isRecord } from '../text/json.ts'
import type { NativeCall } from '../trace/completion.ts'
import type { ToolSpec, JsonSchema } from '../trace/task.ts'

/**
 * The member of a row at a path: `resps.0.0` is the first item of the first item of `resps`. A member whose name contains the dots is
 * preferred. Undefined if it is missing.
 */
export function memberAt(row: Json, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path]
  let value: unknown = row
  for (const step of path.split('.')) value = stepInto(value, step)
  return value
}

function stepInto(value: unknown, step: string): unknown {
  const list = listOf(value)
  if (list !== null) return /^\d{1,9}$/.test(step) ? list[Number(step)] : undefined
  const object = objectOf(value)
  return object !== null && Object.hasOwn(object, step) ? object[step] : undefined
}

/** The reply of an assistant in a log or data set. */
export interface LoggedMessage {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly NativeCall[]
}

/** Reads a message of the chat API: content as text or as parts, calls in the new form or the old one. Never throws. */
export function loggedMessage(message: Json): LoggedMessage {
  const old = objectOf(message['function_call'])
  return {
    text: loggedContent(message['content']) ?? stringOrNull(message['refusal']) ?? '',
    reasoning: stringOrNull(message['reasoning_content']) ?? stringOrNull(message['reasoning']) ?? '',
    toolCalls: [...loggedCalls(message['tool_calls']), ...(old === null ? [] : [callOf('', old)])],
  }
}

/** The text, also of a list of parts; null if there is no text. */
function loggedContent(content: unknown): string | null {
  const parts = listOf(content)
  if (parts === null) return stringOrNull(content)
  return parts.map((part) => stringOrNull(part) ?? stringOrNull(objectOf(part)?.['text']) ?? '').join('')
}

function loggedCalls(calls: unknown): readonly NativeCall[] {
  return (listOf(calls) ?? []).flatMap((entry) => {
    const call = objectOf(entry)
    const called = objectOf(call?.['function'])
    return called === null ? [] : [callOf(stringOrNull(call?.['id']) ?? '', called)]
  })
}

/** Arguments that some servers send as an object become JSON text. */
export function callOf(id: string, { name, arguments: args }: Json): NativeCall {
  return { id, name: stringOrNull(name) ?? '', arguments: jsonOf(args) }
}

/** Offered tools, also as JSON text, as in data sets; null if they are unknown. */
export function loggedTools(given: unknown): readonly ToolSpec[] | null {
  const tools = listOf(typeof given === 'string' ? parsedJson(given) : given)
  if (tools === null) return null
  return tools.flatMap((entry) => {
    const tool = objectOf(objectOf(entry)?.['function']) ?? objectOf(entry)
    const name = stringOrNull(tool?.['name'])
    if (tool === null || name === null) return []
    const parameters: JsonSchema = objectOf(tool['parameters']) ?? {}
    return [{ name, description: stringOrNull(tool['description']) ?? '', parameters }]
  })
}

export type Json = Readonly<Record<string, unknown>>

/** The object of a record, or why it contains none. */
export type ParsedRecord =
  { readonly kind: 'object'; readonly value: Json } | { readonly kind: 'unreadable'; readonly reason: string }

/** Reads a record. Never throws. */
export function parseRecord(text: string): ParsedRecord {
  if (text.length > MAX_RECORD_UNITS)
    return { kind: 'unreadable', reason: `it is longer than ${MAX_RECORD_UNITS / 1e6} million characters` }
  const value = parsedJson(text)
  if (value === undefined) return { kind: 'unreadable', reason: 'this is no JSON' }
  const object = objectOf(value)
  return object === null ? { kind: 'unreadable', reason: 'this is no JSON object' } : { kind: 'object', value: object }
}

export function objectOf(value: unknown): Json | null {
  return isRecord(value) ? value : null
}

export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null
}

/** A value as JSON, at any depth; text stays unchanged, and no value is an empty text. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  try {
    return JSON.stringify(value)
  } catch {
    // Deeper than the stack; no tool is called with that.
    return '[…]'
  }
}

/** The objects of a list; none if it is not a list. */
export function objectsIn(value: unknown): readonly Json[] {
  return (listOf(value) ?? []).flatMap((each): readonly Json[] => {
    const object = objectOf(each)
    return object === null ? [] : [object]
  })
}
