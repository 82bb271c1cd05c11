import { isDict } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import type { ExpectedAnswer } from '../answer.ts'
import type { Case } from '../case.ts'
import type { Reply } from '../implementation.ts'
import { STRICT } from '../protocol/profile-name.ts'
import type { RecordedAnswer } from './recorded-answer.ts'

/** The question of a recorded answer as a case; null where the line does not hold it. Several engines may share one id. */
export function recordedCase({ id, op, format, question, engine }: RecordedAnswer): Case | null {
  if (question === null) return null
  const { input, right } = question
  const own = id.endsWith(` @${engine}`) ? id.slice(0, -engine.length - 2) : id
  return { id: own, op, format, profile: STRICT, input, expected: expectedIn(right), where: 'golden/recorded' }
}

/** What the engine answered. */
export function recordedReply({ question }: RecordedAnswer): Reply {
  const value = question?.answered ?? null
  if (!isRefusal(value)) return { kind: 'returned', value }
  const message = isDict(value) ? value.get('message') : ''
  return { kind: 'raised', error: { type: 'rejected', message: typeof message === 'string' ? message : '' } }
}

function expectedIn(right: PyValue | null): ExpectedAnswer {
  return isRefusal(right) && isDict(right) ? { kind: 'raised', error: right } : { kind: 'returned', value: right }
}

/** Errors stand where the answer would, and have a type. */
function isRefusal(value: PyValue): boolean {
  return isDict(value) && value.has('type') && !value.has('calls')
}
