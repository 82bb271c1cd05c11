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
  ask: ({ text, cuts, other }, { answers, exactSnapshots }) => {
    const twice: readonly Question[] = [
      { op: 'parse', text },
      { op: 'parse', text: other },
      { op: 'parse', text, again: true },
    ]
    if (!answers.has('stream') || !exactSnapshots) return twice
    const chunks = chunksOf(text, cuts)
    return [
      ...twice,
      { op: 'stream', chunks, snapshots: 'each' },
      ...lookedAt(chunks).map((index): Question => ({
        op: 'stream',
        chunks: chunks.slice(0, index + 1),
        snapshots: 'last',
      })),
    ]
  },
  judge: ({ text, cuts, other }, [first, , second, stream, ...prefixes]) => {
    const before = outcomeOf(first)
    const after = outcomeOf(second)
    if (!same(before, after))
      return { breach: 'differs-later', chunks: [text], expected: before, got: { after, other } }
    return changedLater(chunksOf(text, cuts), outcomesOf(stream), prefixes.map(outcomeOf))
  },
}

/** Of many answers only a few are looked at again, the first ones among them: they have the most chunks behind them. */
const MAX_LOOKED_AT = 4

function lookedAt(chunks: readonly string[]): readonly number[] {
  const step = Math.max(1, Math.ceil(chunks.length / MAX_LOOKED_AT))
  const indices: number[] = []
  for (let index = 0; index < chunks.length; index += step) indices.push(index)
  return indices
}

/** The snapshots are looked at when the stream is over, so one that a later chunk has changed differs from a fresh one. */
function changedLater(
  chunks: readonly string[],
  kept: readonly unknown[],
  fresh: readonly unknown[],
): Violation | null {
  for (const [at, index] of lookedAt(chunks).entries()) {
    if (same(kept[index], fresh[at])) continue
    return { breach: 'answer-changed', chunks, expected: fresh[at], got: { afterChunk: index, outcome: kept[index] } }
  }
  return null
}
