import type { FinishReason } from '@callspec/qwen-agent'
import type { RoleFinishReason } from '@callspec/metagpt'

import type { MatcherResult } from './explain.ts'

/** Why a run ended: in the words of an agent, of a role, or of an evaluation (`budget_exhausted`, …). */
export type TerminationReason = FinishReason | RoleFinishReason | (string & {})

/**
 * Whether a run ended for this reason. Takes the `finish` action of an agent or role, the step that holds it, the output
 * of the operation `loop`, and trace or score of an episode of `@callspec/eval`: anything whose reason is found in
 * `reason`, `end`, `end.reason` or `action.reason`.
 *
 * @throws TypeError if it is missing
 */
export function toTerminateWith(received: unknown, expected: TerminationReason): MatcherResult {
  const end = endOf(received)
  if (end === null) {
    throw new TypeError('toTerminateWith: the received value says nowhere why it ended. Give the result of a run.')
  }
  const { reason, error, goesOn } = end
  if (goesOn !== undefined) {
    return {
      pass: false,
      message: () => `the run was to end with "${expected}"; it has not ended, its next action is "${goesOn}"`,
    }
  }
  return {
    pass: reason === expected,
    message: () =>
      reason === expected
        ? `the run was not to end with "${expected}"`
        : `the run was to end with "${expected}"; it ended with "${reason}"${error === '' ? '' : ` (${error})`}`,
  }
}

interface End {
  readonly reason: string
  /** What was raised, on one line; empty when nothing was. */
  readonly error: string
  /** The action that a run waits for. */
  readonly goesOn?: string
}

function endOf(value: unknown): End | null {
  const reason = readMember(value, 'reason')
  if (typeof reason === 'string') return { reason, error: errorText(readMember(value, 'error')) }
  const end = readMember(value, 'end')
  if (typeof end === 'string') return { reason: end, error: '' }
  const inner = end ?? readMember(value, 'action')
  if (typeof inner !== 'object' || inner === null) {
    const type = readMember(value, 'type')
    return typeof type === 'string' ? { reason: '', error: '', goesOn: type } : null
  }
  return endOf(inner)
}

/** Of a plain object, or of a map as outputs have them. */
function readMember(value: unknown, key: string): unknown {
  if (value instanceof Map) return value.get(key)
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  const [type, message] = [readMember(error, 'type'), readMember(error, 'message')]
  return typeof type === 'string' ? `${type}: ${String(message)}` : ''
}
