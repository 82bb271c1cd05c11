import { dumps } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/core'

import type { Question } from '../implementation.ts'
import { wireProfile } from './profile-name.ts'
import { violationOf } from './schemas.ts'

/** The version of the protocol that is spoken here; `docs/protocol.md` describes it. */
export const PROTOCOL_VERSION = 1

/** What the runner says to an implementation, in a session. */
export type Request =
  | { readonly cmd: 'start'; readonly protocol: number; readonly runner: { name: string; version: string } }
  | {
      readonly cmd: 'run'
      readonly seq: number
      readonly id: string
      readonly op: string
      readonly format?: string
      readonly profile: string
      readonly input: PyDict
    }
  | { readonly cmd: 'feed'; readonly seq: number; readonly chunk: string }
  | { readonly cmd: 'end'; readonly seq: number }
  | { readonly cmd: 'stop' }

/** The question of a case as it travels. Its expected answer does not. */
export function runRequest(seq: number, { id, op, format, profile, input }: Question): Request {
  const topic = { id, op, ...(format === undefined ? {} : { format }), profile: wireProfile(profile) }
  return { cmd: 'run', seq, ...topic, input }
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
  return asDict(value as object)
}
