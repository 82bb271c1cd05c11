import type { FunctionCall } from '@callspec/core/qwen-agent'

import type { Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import { same } from '../same.ts'
import type { Sample } from '../sample.ts'
import type { WrittenCall } from '../writer.ts'
import { wellFormedCalls } from './planned.ts'
import { withoutSpace } from './account.ts'
import { callsIn, idsIn, outcomeOf, proseIn, sameCalls } from './reading.ts'

const NO_PROSE = ''

/**
 * What a format shows of a call is a call. The user's message says whatever it likes, markers included: it must not be
 * mistaken for the reply.
 */
export const roundTrip: Law = {
  id: 'round-trip',
  statement:
    "Calls that the format's renderer shows are read back as the same calls with the same ids, whatever the user's message before them says.",
  guards: [16, 21, 28],
  cost: 'linear',
  needs: 'plan',
  applies: () => true,
  ask: (sample, { language }) => {
    const text = rendered(sample, language)
    return text === null ? [] : [{ op: 'parse', text }]
  },
  judge: (sample, [answer], subject) => {
    const { language } = subject
    const expected = callsOf(sample, language) ?? []
    const outcome = outcomeOf(answer)
    const got = callsIn(outcome)
    const prose = subject.exactArguments ? proseIn(outcome) : withoutSpace(proseIn(outcome))
    const chunks = [rendered(sample, language) ?? '']
    if (!sameCalls(got, expected.map(withoutId), subject)) return { breach: 'call-differs', chunks, expected, got }
    if (prose !== NO_PROSE) return { breach: 'prose-appeared', chunks, expected: NO_PROSE, got: prose }
    return otherIds(expected, idsIn(outcome), { chunks, reportsIssues: subject.reportsIssues })
  },
}

/** The other text of the sample is what the user said. */
function rendered(sample: Sample, language: Language): string | null {
  const calls = callsOf(sample, language)
  return calls === null ? null : language.write({ prose: NO_PROSE, calls, user: sample.other })
}

/** The planned calls; where calls are written as one piece, and a plan has one, that one twice. Each with its id. */
function callsOf(sample: Sample, language: Language): readonly WrittenCall[] | null {
  const { callsTogether, callSeparator, idOf } = language
  const planned = wellFormedCalls(sample, language)
  if (planned === null) return null
  const calls = callsTogether === true && callSeparator === null ? [...planned, ...planned] : planned
  return calls.map(({ name, arguments: text }, index) => ({
    name,
    arguments: text,
    ...(idOf === undefined ? {} : { id: idOf(name, index) }),
  }))
}

function withoutId({ name, arguments: text }: WrittenCall): FunctionCall {
  return { name, arguments: text }
}

interface Asked {
  readonly chunks: readonly string[]
  readonly reportsIssues: boolean
}

/** A program of somebody else need not give ids. */
function otherIds(
  calls: readonly WrittenCall[],
  got: readonly (string | null)[],
  { chunks, reportsIssues }: Asked,
): Violation | null {
  const expected = calls.map(({ id = null }) => id)
  const isAsked = calls.some(({ id }) => id !== undefined) && (reportsIssues || got.some((id) => id !== null))
  if (!isAsked || same(got, expected)) return null
  return { breach: 'id-differs', chunks, expected, got }
}
