import type { Exception } from './exception.ts'
import type { Law, Violation } from './law.ts'
import type { Answer, GoodAnswer, NoAnswer, Question } from './question.ts'
import type { Sample } from './sample.ts'
import type { About, RemoteSubject, Subject } from './subject.ts'

/** Checks a law on a sample. Null where it holds, has nothing to say, or the breach is a deliberate one. */
export function runLaw(law: Law, subject: Subject, sample: Sample): Violation | null {
  const questions = law.ask(sample, subject)
  if (questions.length === 0) return null
  const answers: GoodAnswer[] = []
  for (const question of questions) {
    const answer = subject.answer(question)
    if (answer.op === 'none') return withoutException(law, noAnswer(question, answer), subject.exceptions)
    answers.push(answer)
  }
  return withoutException(law, law.judge(sample, answers, subject), subject.exceptions)
}

/** The same for a parser elsewhere: all questions of the law go in one batch. */
export async function runLawAsync(law: Law, subject: RemoteSubject, sample: Sample): Promise<Violation | null> {
  const questions = law.ask(sample, subject)
  if (questions.length === 0) return null
  return judgeAnswers(law, { subject, sample, questions, answers: await subject.answerAll(questions) })
}

/** Questions that were asked together, and what came back. */
export interface Asked {
  readonly subject: About
  readonly sample: Sample
  readonly questions: readonly Question[]
  readonly answers: readonly Answer[]
}

/** Judges answers that came from elsewhere, perhaps in one batch with those of other samples. */
export function judgeAnswers(law: Law, { subject, sample, questions, answers }: Asked): Violation | null {
  const good: GoodAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const answer = answers[index] ?? MISSING
    if (answer.op === 'none') return withoutException(law, noAnswer(question, answer), subject.exceptions)
    good.push(answer)
  }
  return withoutException(law, law.judge(sample, good, subject), subject.exceptions)
}

const MISSING: NoAnswer = { op: 'none', how: 'garbled', reason: 'there are fewer answers than questions' }

function noAnswer(question: Question, { how, reason }: NoAnswer): Violation {
  const chunks = 'chunks' in question ? question.chunks : [question.text]
  return { breach: how, chunks, expected: 'an answer', got: reason }
}

function withoutException(law: Law, violation: Violation | null, exceptions: readonly Exception[]): Violation | null {
  if (violation === null || exceptions.length === 0) return violation
  const text = violation.chunks.join('')
  const isDeliberate = exceptions.some(
    (exception) => exception.law === law.id && exception.breach === violation.breach && exception.texts.test(text),
  )
  return isDeliberate ? null : violation
}
