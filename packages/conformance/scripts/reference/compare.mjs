// Asks two implementations the same questions, and counts where they differ.
import { fromPlain } from '@callspec/python'
import { compareAnswers } from '../../dist/compare.js'
import { comparable } from '../../dist/normal-form.js'

/** Few enough to wait for, many enough to keep a program in another process busy. */
const AT_ONCE = 64

/**
 * Answers of `reference` and `ours` to each question; a question that one of them does not answer (an operation that it lacks, a script
 * that is too short) is not compared.
 *
 * @returns per operation how many were compared and not (`why`: the reasons), and every difference with its question
 */
export async function compareAll(questions, { reference, ours, profile, onProgress }) {
  const counts = new Map()
  const differences = []
  for (let from = 0; from < questions.length; from += AT_ONCE) {
    const batch = questions.slice(from, from + AT_ONCE)
    const found = await Promise.all(
      batch.map((question, at) => compareOne(question, { reference, ours, profile, id: `${from + at}` })),
    )
    found.forEach(({ kind, difference, why }, at) => {
      const { op, input } = batch[at]
      const count = counts.get(op) ?? { compared: 0, differ: 0, skipped: 0, why: new Set() }
      counts.set(op, count)
      if (kind === 'skipped') count.why.add(why)
      count[kind === 'skipped' ? 'skipped' : 'compared'] += 1
      if (kind !== 'differ') return
      count.differ += 1
      differences.push({ op, input, difference })
    })
    onProgress(Math.min(from + AT_ONCE, questions.length))
  }
  return { counts, differences }
}

async function compareOne({ op, input }, { reference, ours, profile, id }) {
  const question = { id, op, profile, input: fromPlain(input) }
  const [expected, actual] = await Promise.all([reference.answer(question), ours.answer(question)])
  for (const answer of [expected, actual])
    if (!isAnswer(answer)) return { kind: 'skipped', difference: null, why: answer.reason ?? answer.kind }
  const [left, right] = comparable(question, [recorded(expected), actual])
  const difference = compareAnswers(left, right)
  return { kind: difference === null ? 'equal' : 'differ', difference }
}

/** An answer as a case would list it. */
function recorded(reply) {
  return reply.kind === 'raised' ? { kind: 'raised', error: fromPlain({ ...reply.error }) } : reply
}

function isAnswer({ kind }) {
  return kind === 'returned' || kind === 'raised'
}
