import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import { chunksOf } from '../sample.ts'
import { outcomeOf, outcomesOf } from './reading.ts'

/** No memory between texts, and no answer that changes after it was given. */
export const deterministic: Law = {
  id: 'deterministic',
  statement:
    'The same text gets the same answer, whatever was read before it, and no later chunk changes an answer that was given.',
  guards: [34],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text, cuts, other }, { answers }) => {
    const twice: readonly Question[] = [
      { op: 'parse', text },
      { op: 'parse', text: other },
      { op: 'parse', text, again: true },
    ]
    if (!answers.has('stream')) return twice
    const chunks = chunksOf(text, cuts)
    return [
      ...twice,
      { op: 'stream', chunks, snapshots: 'each' },
      ...chunks.map((_, index): Question => ({
        op: 'stream',
        chunks: chunks.slice(0, index + 1),
        snapshots: index === chunks.length - 1 ? 'each' : 'last',
      })),
    ]
  },
  judge: ({ text, cuts, other }, [first, , second, stream, ...prefixes]) => {
    const before = outcomeOf(first)
    const after = outcomeOf(second)
    if (!same(before, after))
      return { breach: 'differs-later', chunks: [text], expected: before, got: { after, other } }
    const chunks = chunksOf(text, cuts)
    return changedLater(chunks, outcomesOf(stream), prefixes.map(outcomeOf))
  },
}

/** The snapshots are looked at when the stream is over, so one that a later chunk has changed differs from a fresh one. */
function changedLater(
  chunks: readonly string[],
  kept: readonly unknown[],
  fresh: readonly unknown[],
): Violation | null {
  const at = kept.findIndex((outcome, index) => !same(outcome, fresh[index]))
  if (at < 0) return null
  return { breach: 'answer-changed', chunks, expected: fresh[at], got: { afterChunk: at, outcome: kept[at] } }
}
