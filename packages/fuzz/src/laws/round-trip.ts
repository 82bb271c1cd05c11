import type { FunctionCall } from '@callspec/core/qwen-agent'

import type { Language } from '../language.ts'
import type { Law } from '../law.ts'
import type { Sample } from '../sample.ts'
import { wellFormedCalls } from './planned.ts'
import { callsIn, outcomeOf, proseIn, sameCalls } from './reading.ts'

const NO_PROSE = ''

/**
 * What a format shows of a call is a call. The user's message says whatever it likes, markers included: it must not be
 * mistaken for the reply.
 */
export const roundTrip: Law = {
  id: 'round-trip',
  statement:
    "A call that the format's renderer shows is read back as the same call, whatever the user's message before it says.",
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
    const expected = callsOf(sample, language)
    const outcome = outcomeOf(answer)
    const got = callsIn(outcome)
    const prose = proseIn(outcome)
    const isSame = sameCalls(got, expected ?? [], subject)
    if (isSame && prose === NO_PROSE) return null
    const chunks = [rendered(sample, language) ?? '']
    if (!isSame) return { breach: 'call-differs', chunks, expected, got }
    return { breach: 'prose-appeared', chunks, expected: NO_PROSE, got: prose }
  },
}

/** The other text of the sample is what the user said. */
function rendered(sample: Sample, language: Language): string | null {
  const calls = callsOf(sample, language)
  return calls === null ? null : language.write({ prose: NO_PROSE, calls, user: sample.other })
}

function callsOf(sample: Sample, language: Language): readonly FunctionCall[] | null {
  return wellFormedCalls(sample, language)?.map(({ name, arguments: text }) => ({ name, arguments: text })) ?? null
}
