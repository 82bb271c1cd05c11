import { dumps } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import { differenceLine } from './difference.ts'
import type { CaseResult, Verdict } from './run-suite.ts'

/** The version of the form of a result; `schemas/result-line.schema.json` describes it. */
const RESULT_VERSION = 1

/** Where a result comes from: the version of the cases (null: the user's own), and name and version of who answered. */
export interface ResultOrigin {
  readonly cases: string | null
  readonly implementation: string
}

/**
 * One result as one line of JSON (without line break): `id`, `op`, `profile`, `verdict`, then `actual` or `error` as the
 * implementation answered, in the form of the vector files, and `reason` unless it passed (and `issue`, a URL in it;
 * `fixed` where a known failure passed; `notes` on the answer). ASCII; ints and floats, unpaired surrogates and the order of keys are kept. When
 * the origin is given, last come `result` (the version of this form), `cases` and `implementation`.
 */
export function resultLine({ case: item, reply, verdict, fixed }: CaseResult, origin?: ResultOrigin): string {
  const line = new Map<string, PyValue>([
    ['id', item.id],
    ['op', item.op],
    ['profile', item.profile],
    ['verdict', verdict.kind],
  ])
  if (reply.kind === 'returned') line.set('actual', reply.value)
  if (reply.kind === 'raised') line.set('error', errorOf(reply.error))
  const reason = reasonOf(verdict)
  if (reason !== null) line.set('reason', reason)
  if (verdict.kind === 'skipped' && verdict.issue !== undefined) line.set('issue', verdict.issue)
  if (fixed !== undefined) line.set('fixed', fixed)
  if ('notes' in reply && reply.notes !== undefined) line.set('notes', reply.notes)
  if (origin !== undefined) line.set('result', BigInt(RESULT_VERSION))
  if (origin !== undefined && origin.cases !== null) line.set('cases', origin.cases)
  if (origin !== undefined) line.set('implementation', origin.implementation)
  return dumps(line, { ensureAscii: true })
}

/** Why a case did not pass, on one line; null when it did. */
export function reasonOf(verdict: Verdict): string | null {
  if (verdict.kind === 'passed') return null
  return verdict.kind === 'failed' ? differenceLine(verdict.difference) : verdict.reason
}

function errorOf({ type, message }: { readonly type: string; readonly message: string }): PyValue {
  return new Map([
    ['type', type],
    ['message', message],
  ])
}
