import type { Law, Violation } from '../law.ts'
import type { GoodAnswer, Question, Work } from '../question.ts'
import type { Sample } from '../sample.ts'

/** Characters looked at, per character given: a call that is closed is gone through several times, once for all. */
const ALLOWED_PER_GIVEN = 16
/** And per character answered: an answer is made of pieces that have to be found and joined. */
const ALLOWED_PER_ANSWERED = 4
/** And that many at least: a text of no length is looked at too. */
const START = 64
/** Time may grow by this much when the text grows by four: linear is 4. */
const ALLOWED_GROWTH = 6
/** Long enough that reading everything again at each snapshot is more than that. */
const COUNTED_LENGTH = 4096
const TIMED_LENGTH = 16_384
const CHUNK_LENGTH = 4

/** Reading a long reply in small chunks must not cost its square. */
export const linearWork: Law = {
  id: 'linear-work',
  statement:
    'However a text is cut, a stream looks at no more than a fixed number of characters for each character given and answered.',
  guards: [30],
  cost: 'quadratic',
  needs: 'text',
  applies: ({ answers }) => answers.has('work'),
  ask: (sample, { countsWork }) => (isAsked(sample, countsWork) ? questionsOf(sample, countsWork) : []),
  judge: (sample, answers, { countsWork }) => {
    const questions = questionsOf(sample, countsWork)
    if (!countsWork) return tooSteep(answers, questions)
    for (const [index, answer] of answers.entries()) {
      const { chunks = [] } = questions[index] ?? {}
      const violation = tooMuch(workOf(answer), chunks)
      if (violation !== null) return violation
    }
    return null
  },
}

/** Timing needs long texts, so it is done with a few samples only. */
function isAsked({ text, other }: Sample, countsWork: boolean): boolean {
  return text !== '' && (countsWork || (text.length + other.length) % TIMED_SHARE === 0)
}

const TIMED_SHARE = 32

type WorkQuestion = Extract<Question, { op: 'work' }>

/** The text again and again, before a long tail, or behind a long start; counted work needs no growth. */
function questionsOf({ text }: Sample, countsWork: boolean): readonly WorkQuestion[] {
  if (!countsWork) {
    return [1, 2, 4].map((factor) => question(repeated(text, factor * TIMED_LENGTH), 64, 'last'))
  }
  // One of them per sample: there are many samples, and each of these texts is a long one.
  switch (text.length % 4) {
    case 0:
      return [question(repeated(text, COUNTED_LENGTH), CHUNK_LENGTH, 'each')]
    case 1:
      return [question(repeated(text, COUNTED_LENGTH), CHUNK_LENGTH, 'last')]
    case 2:
      return [question(text + FILLER, CHUNK_LENGTH, 'each')]
    default:
      return [question(FILLER + text, CHUNK_LENGTH, 'each')]
  }
}

const FILLER = 'a'.repeat(COUNTED_LENGTH)

function question(text: string, size: number, snapshots: 'each' | 'last'): WorkQuestion {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return { op: 'work', chunks, snapshots }
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, Math.max(length, text.length))
}

function workOf(answer: GoodAnswer): Work {
  if (answer.op === 'work') return answer.work
  throw new Error('A question for work was answered with something else.')
}

function tooMuch({ amount, answered }: Work, chunks: readonly string[]): Violation | null {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const allowed = ALLOWED_PER_GIVEN * length + ALLOWED_PER_ANSWERED * answered + START
  if (amount <= allowed) return null
  return { breach: 'too-much-work', chunks, expected: `at most ${allowed} characters`, got: `${amount} characters` }
}

function tooSteep(answers: readonly GoodAnswer[], questions: readonly WorkQuestion[]): Violation | null {
  const times = answers.map((answer) => workOf(answer).amount)
  const [first = 0] = times
  const last = times.at(-1) ?? 0
  if (last <= ALLOWED_GROWTH * Math.max(first, MIN_MS)) return null
  const expected = `at most ${ALLOWED_GROWTH} times the time for 4 times the text`
  return { breach: 'too-steep', chunks: questions[0]?.chunks ?? [], expected, got: times.map((ms) => `${ms} ms`) }
}

/** A shorter time is noise. */
const MIN_MS = 5
