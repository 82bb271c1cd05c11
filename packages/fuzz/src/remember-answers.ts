import type { Answer, Question } from './question.ts'
import type { Subject } from './subject.ts'

/** A subject that is asked each question about a text once, because many laws begin with the same ones. */
export interface RememberedAnswers {
  readonly subject: Subject
  /** Drops all answers: another sample follows. */
  readonly forget: () => void
}

/** The subject with the answers to a sample kept. What has to be asked again, and what is measured, is asked every time. */
export function rememberAnswers(subject: Subject): RememberedAnswers {
  const texts: Kept<TextQuestion>[] = []
  const inThought: Kept<TextQuestion>[] = []
  const stops: Kept<TextQuestion>[] = []
  const streams: Kept<StreamQuestion>[] = []
  const ofText = (kept: Kept<TextQuestion>[], question: TextQuestion): Answer => {
    const before = kept.find((each) => each.question.text === question.text)
    if (before !== undefined) return before.answer
    const answer = subject.answer(question)
    // The first texts are the sample and what is made of it; the beginnings that follow are each asked about once.
    if (kept.length < FEW) kept.push({ question, answer })
    return answer
  }
  const answer = (question: Question): Answer => {
    // One law each asks with the tools given.
    if ('tools' in question) return subject.answer(question)
    switch (question.op) {
      case 'parse':
        if (question.again === true) return subject.answer(question)
        return ofText(question.thoughtInContent === true ? inThought : texts, question)
      case 'stop':
        return ofText(stops, question)
      case 'work':
        return subject.answer(question)
      default:
        return ofStream(streams, question, subject)
    }
  }
  return {
    subject: { ...subject, answer },
    forget: () => {
      texts.length = 0
      inThought.length = 0
      stops.length = 0
      streams.length = 0
    },
  }
}

type TextQuestion = Extract<Question, { op: 'parse' | 'stop' }>
type StreamQuestion = Extract<Question, { op: 'stream' | 'deltas' }>

interface Kept<Asked> {
  readonly question: Asked
  readonly answer: Answer
}

function ofStream(streams: Kept<StreamQuestion>[], question: StreamQuestion, subject: Subject): Answer {
  const before = streams.find((kept) => isSame(kept.question, question))
  if (before !== undefined) return before.answer
  const answer = subject.answer(question)
  // A text is cut in two at every place, each of them asked about once.
  if (question.chunks.length !== 2 || streams.length < FEW) streams.push({ question, answer })
  return answer
}

const FEW = 4

function isSame(one: StreamQuestion, other: StreamQuestion): boolean {
  if (one.chunks.length !== other.chunks.length || one.op !== other.op) return false
  if (one.op === 'stream' && other.op === 'stream') {
    if (one.snapshots !== other.snapshots) return false
    if ((one.thoughtInContent === true) !== (other.thoughtInContent === true)) return false
  }
  return one.chunks.every((chunk, index) => chunk === other.chunks[index])
}
