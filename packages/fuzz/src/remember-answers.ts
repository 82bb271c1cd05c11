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
  const texts = new Map<string, Answer>()
  const inThought = new Map<string, Answer>()
  const stops = new Map<string, Answer>()
  const streams: Kept[] = []
  const ofText = (kept: Map<string, Answer>, question: Extract<Question, { op: 'parse' | 'stop' }>): Answer => {
    const before = kept.get(question.text)
    if (before !== undefined) return before
    const answer = subject.answer(question)
    kept.set(question.text, answer)
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
      for (const kept of [texts, inThought, stops]) kept.clear()
      streams.length = 0
    },
  }
}

type StreamQuestion = Extract<Question, { op: 'stream' | 'deltas' }>

interface Kept {
  readonly question: StreamQuestion
  readonly answer: Answer
}

function ofStream(streams: Kept[], question: StreamQuestion, subject: Subject): Answer {
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
