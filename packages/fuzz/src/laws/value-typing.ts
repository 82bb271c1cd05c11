import { loads } from '@callspec/core'

import type { Law } from '../law.ts'
import { same } from '../same.ts'
import { callsIn, outcomeOf } from './reading.ts'
import { wellFormedCalls } from './planned.ts'

/** Numbers stay numbers, and as exact as they were written. */
export const valueTyping: Law = {
  id: 'value-typing',
  statement:
    'Every argument keeps its JSON type, its digits and its place: 1 is not 1.0, "007" is not 7, 2^53 + 1 is not 2^53.',
  guards: [22],
  cost: 'linear',
  needs: 'plan',
  applies: () => true,
  ask: (sample, { language }) =>
    wellFormedCalls(sample, language) === null ? [] : [{ op: 'parse', text: sample.text }],
  judge: (sample, [answer], { language }) => {
    const planned = wellFormedCalls(sample, language) ?? []
    const calls = callsIn(outcomeOf(answer))
    for (const [index, { arguments: written }] of planned.entries()) {
      const got = calls[index]?.arguments
      const expected = loads(written)
      const value = loads(got ?? '')
      if (same(value, expected)) continue
      return { breach: 'value-differs', chunks: [sample.text], expected: written, got: got ?? null }
    }
    return null
  },
}
