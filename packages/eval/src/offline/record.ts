import { isRecord, parsedJson } from '../text/json.ts'
import { MAX_RECORD_UNITS } from './read-text.ts'

/** A JSON object, whose members may be anything. */
export type Json = Readonly<Record<string, unknown>>

/** The object that a record holds, or why it holds none. */
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

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null
}

/** A value as JSON, however deep it is; a text as it stands, nothing as nothing. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  try {
    return JSON.stringify(value)
  } catch {
    // Deeper than the stack; nobody calls a tool with that.
    return '[…]'
  }
}
