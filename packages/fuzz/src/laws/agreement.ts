import type { ParseOutcome } from '@callspec/core/qwen-agent'

import type { Law } from '../law.ts'
import type { RecordedItem } from '../subject.ts'
import { same } from '../same.ts'
import { chunksOf } from '../sample.ts'
import { outcomeOf } from './reading.ts'

/** The reference was asked the same, and its answers were written down. */
export const agreement: Law = {
  id: 'agreement',
  statement: 'A text for which an answer of the reference is recorded gets that answer, whole and in chunks.',
  guards: [27],
  cost: 'linear',
  needs: 'record',
  applies: ({ recorded }) => recorded.size > 0,
  ask: ({ text, cuts }, { recorded, answers }) => {
    if (!recorded.has(text)) return []
    const chunks = chunksOf(text, cuts)
    return answers.has('stream')
      ? [
          { op: 'parse', text },
          { op: 'stream', chunks, snapshots: 'each' },
        ]
      : [{ op: 'parse', text }]
  },
  judge: ({ text, cuts }, answers, { recorded }) => {
    const expected = recorded.get(text) ?? null
    for (const answer of answers) {
      const got = itemsOf(outcomeOf(answer))
      if (same(got, expected)) continue
      return {
        breach: 'differs-from-record',
        chunks: answer.op === 'stream' ? chunksOf(text, cuts) : [text],
        expected,
        got,
      }
    }
    return null
  },
}

function itemsOf(outcome: ParseOutcome): readonly RecordedItem[] | null {
  if (outcome.kind === 'rejected') return null
  return outcome.messages.flatMap(({ content, function_call: call }): readonly RecordedItem[] => [
    ...(content === '' ? [] : [{ prose: content }]),
    ...(call ? [{ name: call.name, arguments: call.arguments }] : []),
  ])
}
