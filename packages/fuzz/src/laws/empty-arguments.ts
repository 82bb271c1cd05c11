import type { ParseOutcome } from '@callspec/core/qwen-agent'

import { spellCall } from '../spell-call.ts'
import type { Law, Violation } from '../law.ts'
import type { Language } from '../language.ts'
import type { Question } from '../question.ts'
import { unitsOf } from '../sample.ts'
import type { PlannedCall, Sample } from '../sample.ts'
import { withoutSpace } from './account.ts'
import { callsIn, issuesIn, outcomeOf, proseIn } from './reading.ts'

/** A tool without parameters is called all the same. */
export const emptyArguments: Law = {
  id: 'empty-arguments',
  statement:
    'A call with {} is exactly one call with {}, whole and unit by unit; a call without arguments or with null is one call, or is told.',
  guards: [5],
  cost: 'linear',
  needs: 'plan',
  applies: ({ language }) => language.call !== null,
  ask: (sample, { language, answers }) => {
    const texts = textsOf(sample, language)
    if (texts === null) return []
    const whole = texts.map((text): Question => ({ op: 'parse', text }))
    const [empty = ''] = texts
    return answers.has('stream') ? [...whole, { op: 'stream', chunks: unitsOf(empty), snapshots: 'each' }] : whole
  },
  judge: (sample, answers, { language, reportsIssues }) => {
    const [empty = '', missing = '', none = ''] = textsOf(sample, language) ?? []
    const [first, second, third, stream] = answers
    return (
      notOneEmpty([empty], outcomeOf(first)) ??
      (stream === undefined ? null : notOneEmpty(unitsOf(empty), outcomeOf(stream))) ??
      vanished(missing, outcomeOf(second), reportsIssues) ??
      vanished(none, outcomeOf(third), reportsIssues)
    )
  },
}

/** The first planned call alone: with `{}`, without arguments, with `null`. */
function textsOf({ plan }: Sample, language: Language): readonly string[] | null {
  const call = plan?.parts.find((part): part is PlannedCall => part.kind === 'call')
  if (call === undefined || language.call === null) return null
  const { name } = call
  return [
    spellCall(language.call, { name, arguments: '{}' }),
    spellCall(language.call, { name, arguments: null }),
    spellCall(language.call, { name, arguments: 'null' }),
  ]
}

function notOneEmpty(chunks: readonly string[], outcome: ParseOutcome): Violation | null {
  const calls = callsIn(outcome)
  if (calls.length === 1 && withoutSpace(calls[0]?.arguments ?? '') === '{}' && issuesIn(outcome).length === 0)
    return null
  return { breach: 'not-one-empty-call', chunks, expected: 'one call with {}, no issue', got: outcome }
}

function vanished(text: string, outcome: ParseOutcome, reportsIssues: boolean): Violation | null {
  const calls = callsIn(outcome)
  if (calls.length === 1 || outcome.kind === 'rejected') return null
  const isTold = reportsIssues ? issuesIn(outcome).length > 0 : withoutSpace(proseIn(outcome)).length > 0
  if (calls.length === 0 && isTold) return null
  return { breach: 'call-vanished', chunks: [text], expected: 'one call, or an issue', got: outcome }
}
