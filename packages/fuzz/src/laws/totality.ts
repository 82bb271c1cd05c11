import type { ParseOutcome } from '@callspec/core/qwen-agent'

import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import { chunksOf } from '../sample.ts'
import { issuesIn, outcomeOf, outcomesOf } from './reading.ts'

/** Every text gets an answer. Who gives none is found by whoever asks; what is left to judge is the form. */
export const totality: Law = {
  id: 'totality',
  statement: 'Every text gets an outcome, whole and in chunks: nothing throws, and every issue lies inside the text.',
  guards: [10],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text, cuts }, { answers }) => {
    const questions: Question[] = [{ op: 'parse', text }]
    if (answers.has('stream')) questions.push({ op: 'stream', chunks: chunksOf(text, cuts), snapshots: 'each' })
    if (answers.has('stop')) questions.push({ op: 'stop', text })
    return questions
  },
  judge: ({ text, cuts }, [whole, ...others]) => {
    const wrong = malformed(text, outcomeOf(whole))
    if (wrong !== null) return wrong
    for (const answer of others) {
      const chunks = answer.op === 'stream' ? chunksOf(text, cuts) : [text]
      let read = 0
      for (const [index, outcome] of outcomesOf(answer).entries()) {
        read += chunks[index]?.length ?? 0
        const violation = malformed(text.slice(0, read), outcome)
        if (violation !== null) return { ...violation, chunks: chunks.slice(0, index + 1) }
      }
    }
    return null
  },
}

function malformed(text: string, outcome: ParseOutcome): Violation | null {
  for (const issue of issuesIn(outcome)) {
    if (0 <= issue.start && issue.start <= issue.end && issue.end <= text.length) continue
    return { breach: 'issue-outside', chunks: [text], expected: { within: [0, text.length] }, got: issue }
  }
  return null
}
