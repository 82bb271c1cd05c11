import type { Law } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import { chunksOf, unitsOf } from '../sample.ts'
import { outcomeOf } from './reading.ts'

/** More 2-splits are not asked for; of a longer text they are taken at equal distances. */
const MAX_SPLITS = 400

/**
 * How a stream was cut is no part of what it says. A snapshot is asked for after every chunk, because a parser may put off
 * its work until somebody asks.
 */
export const splitInvariance: Law = {
  id: 'split-invariance',
  statement:
    'A stream ends with the same answer in one chunk, cut in two at any place, unit by unit, and in any other grouping.',
  guards: [1],
  cost: 'quadratic',
  needs: 'text',
  applies: ({ answers }) => answers.has('stream'),
  ask: (sample) => groupings(sample).map((chunks): Question => ({ op: 'stream', chunks, snapshots: 'each' })),
  judge: (sample, answers) => {
    const [first] = answers
    const expected = outcomeOf(first)
    const at = answers.findIndex((answer) => !same(outcomeOf(answer), expected))
    if (at < 0) return null
    const chunks = groupings(sample)[at] ?? []
    return { breach: 'split-matters', chunks, expected, got: outcomeOf(answers[at]) }
  },
}

/** One chunk first: the others are compared with it. */
function groupings({
  text,
  cuts,
}: {
  readonly text: string
  readonly cuts: readonly number[]
}): readonly (readonly string[])[] {
  const inTwo: string[][] = []
  const step = Math.max(1, Math.ceil(text.length / MAX_SPLITS))
  for (let at = 0; at <= text.length; at += step) inTwo.push([text.slice(0, at), text.slice(at)])
  return [[text], ...inTwo, unitsOf(text), chunksOf(text, cuts)]
}
