import type { Law } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import { chunksOf } from '../sample.ts'
import { outcomeOf, outcomesOf, sameOutcome } from './reading.ts'

/** A stream is a reading like any other, only earlier. */
export const modeParity: Law = {
  id: 'mode-parity',
  statement:
    'A stream ends with the answer that the whole text gets; a parser with snapshots gives after every chunk what the text so far gets.',
  guards: [2, 23],
  cost: 'linear',
  needs: 'text',
  applies: ({ answers }) => answers.has('stream'),
  ask: ({ text, cuts }, { exactSnapshots }) => [
    { op: 'stream', chunks: chunksOf(text, cuts), snapshots: exactSnapshots ? 'each' : 'last' },
    { op: 'parse', text },
    ...(exactSnapshots ? cuts.map((cut): Question => ({ op: 'parse', text: text.slice(0, cut) })) : []),
  ],
  judge: ({ text, cuts }, [stream, whole, ...prefixes]) => {
    const chunks = chunksOf(text, cuts)
    const expected = outcomeOf(whole)
    for (const [index, prefix] of prefixes.entries()) {
      const got = outcomesOf(stream)[index]
      const parsed = outcomeOf(prefix)
      if (!same(got, parsed))
        return { breach: 'snapshot-differs', chunks: chunks.slice(0, index + 1), expected: parsed, got }
    }
    const got = outcomeOf(stream)
    return sameOutcome(got, expected) ? null : { breach: 'end-differs', chunks, expected, got }
  },
}
