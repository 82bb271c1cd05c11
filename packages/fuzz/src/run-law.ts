import type {
  Exception,
  Law,
  Violation,
  LawAnswer,
  GoodAnswer,
  NoAnswer,
  LawQuestion,
  About,
  RemoteSubject,
  Subject,
} from './law.ts'
import type { Sample } from './sample.ts'

/** Checks a law on a sample. Null where the law holds or does not apply, and for a deliberate breach. */
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

/** `runLaw` for a parser elsewhere: sends all questions of the law in one batch. */
export async function runLawAsync(law: Law, subject: RemoteSubject, sample: Sample): Promise<Violation | null> {
  const questions = law.ask(sample, subject)
  if (questions.length === 0) return null
  return judgeAnswers(law, { subject, sample, questions, answers: await subject.answerAll(questions) })
}

/** Questions of a law, and their answers. */
export interface AnsweredQuestions {
  readonly subject: About
  readonly sample: Sample
  readonly questions: readonly LawQuestion[]
  readonly answers: readonly LawAnswer[]
}

/** Judges the answers of a parser elsewhere. */
export function judgeAnswers(law: Law, { subject, sample, questions, answers }: AnsweredQuestions): Violation | null {
  const good: GoodAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const answer = answers[index] ?? MISSING_ANSWER
    if (answer.op === 'none')
      return withoutException(law, asArrived(noAnswer(question, answer), subject), subject.exceptions)
    good.push(answer)
  }
  return withoutException(law, asArrived(law.judge(sample, good, subject), subject), subject.exceptions)
}

/** A violation with the chunks that the parser received. */
function asArrived(violation: Violation | null, { arriving }: About): Violation | null {
  if (violation === null || arriving === undefined || violation.chunks.length < 2) return violation
  return { ...violation, chunks: arriving(violation.chunks) }
}

/** In place of an answer that a parser elsewhere did not give. */
export const MISSING_ANSWER: NoAnswer = { op: 'none', how: 'garbled', reason: 'there are fewer answers than questions' }

function noAnswer(question: LawQuestion, { how, reason }: NoAnswer): Violation | null {
  if (how === 'skipped') return null
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
