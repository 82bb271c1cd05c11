import { loads } from '@callspec/python/outcome'
import type { FunctionCall, ParseOutcome } from '@callspec/core/qwen-agent'

import type { Law, Violation } from '../law.ts'
import type { GoodAnswer } from '../question.ts'
import { same } from '../same.ts'
import { chunksOf } from '../sample.ts'
import { foldDeltas } from './fold-deltas.ts'
import type { Folded } from './fold-deltas.ts'
import { wellFormedCalls } from './planned.ts'
import { callsIn, outcomeOf, proseIn } from './reading.ts'

/** What was sent cannot be taken back, so it has to be right when it is sent. */
export const jsonClosure: Law = {
  id: 'json-closure',
  statement:
    'The deltas of a stream, joined, are the answer to the whole text, byte for byte; the arguments of well-formed calls are JSON.',
  guards: [3, 4],
  cost: 'linear',
  needs: 'text',
  applies: ({ answers }) => answers.has('deltas'),
  ask: ({ text, cuts }) => [
    { op: 'deltas', chunks: chunksOf(text, cuts) },
    { op: 'parse', text },
  ],
  judge: (sample, [streamed, whole], { language }) => {
    const outcome = outcomeOf(whole)
    const folded = foldedOf(streamed)
    // What was sent before the reference raised stays sent; there is nothing to compare it with.
    if (outcome.kind === 'rejected' || folded === null) return null
    const chunks = chunksOf(sample.text, sample.cuts)
    return (
      differs(folded, outcome, chunks) ??
      (wellFormedCalls(sample, language) === null ? null : notClosed(folded, chunks))
    )
  },
}

function foldedOf(answer: GoodAnswer | undefined): Folded | null {
  return answer?.op === 'deltas' ? foldDeltas(answer.deltas) : null
}

function differs({ content, calls }: Folded, outcome: ParseOutcome, chunks: readonly string[]): Violation | null {
  const prose = proseIn(outcome)
  if (content !== prose) return { breach: 'content-differs', chunks, expected: prose, got: content }
  const expected = callsIn(outcome)
  const got = calls.map(({ names, arguments: text }): FunctionCall => ({ name: names.join(''), arguments: text }))
  return same(got, expected) ? null : { breach: 'calls-differ', chunks, expected, got }
}

/** Arguments that were planned as JSON and put together from pieces are JSON. */
function notClosed({ calls }: Folded, chunks: readonly string[]): Violation | null {
  const open = calls.find(({ arguments: text }) => loads(text).kind === 'raised')
  return open === undefined ? null : { breach: 'arguments-not-json', chunks, expected: 'JSON', got: open }
}
