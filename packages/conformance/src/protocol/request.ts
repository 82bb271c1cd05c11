import { dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import type { Question } from '../implementation.ts'
import type { TextRange } from '../provenance.ts'
import { wireProfile } from './profile-name.ts'
import { violationOf } from './schemas.ts'

/** The version of the protocol that is spoken here; `docs/protocol.md` describes it. */
export const PROTOCOL_VERSION = 1

/** What the runner says to an implementation, in a session. */
export type Request =
  | { readonly cmd: 'start'; readonly protocol: number; readonly runner: { name: string; version: string } }
  | RunRequest
  | { readonly cmd: 'feed'; readonly seq: number; readonly chunk: string }
  | { readonly cmd: 'end'; readonly seq: number }
  | { readonly cmd: 'stop' }

/** One question. */
export interface RunRequest {
  readonly cmd: 'run'
  readonly seq: number
  readonly id: string
  readonly op: string
  readonly format?: string
  /** As it travels, such as `qwen-agent@main`. */
  readonly profile: string
  readonly input: PyDict
  /** Where markers in the text of the input are no tokens. */
  readonly plain?: readonly TextRange[]
}

/** The question of a case as it travels. Its expected answer does not. */
export function runRequest(seq: number, { id, op, format, profile, input, plain }: Question): RunRequest {
  const topic = { id, op, ...(format === undefined ? {} : { format }), profile: wireProfile(profile) }
  return { cmd: 'run', seq, ...topic, input, ...(plain === undefined ? {} : { plain }) }
}

/** A question as a one-shot program reads it: a `run` without number, with the version of the protocol. */
export function oneShotLine(question: Question): string {
  const { cmd: _cmd, seq: _seq, ...rest } = runRequest(1, question)
  return dumps(asDict({ protocol: PROTOCOL_VERSION, ...rest }), { ensureAscii: true })
}

/**
 * A request as one line of ASCII JSON, without line break: ints and floats, unpaired surrogates (`\ud800`) and the
 * order of keys are kept. Checked against the schema first.
 */
export function requestLine(request: Request): string {
  // The schema looks at the input as a map only, so there is no need to copy all of it.
  const violation = violationOf('request', 'input' in request ? { ...request, input: {} } : request)
  if (violation !== null) throw new Error(`callspec: a request is not as its schema says: ${violation}`)
  return dumps(asDict(request), { ensureAscii: true })
}

function asDict(request: object): PyDict {
  return new Map(Object.entries(request).map(([key, value]) => [key, asValue(value)]))
}

function asValue(value: unknown): PyValue {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'string' || value instanceof Map) return value as PyValue
  if (Array.isArray(value)) return value.map(asValue)
  return asDict(value as object)
}
