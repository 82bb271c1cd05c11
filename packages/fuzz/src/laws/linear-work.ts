import type { Law, Violation } from '../law.ts'
import type { GoodAnswer, Question, Work } from '../question.ts'
import type { Sample } from '../sample.ts'

/** Characters looked at, per character given: a call that is closed is gone through several times, once for all. */
const ALLOWED_PER_GIVEN = 16
/** And per character answered: an answer is made of pieces that have to be found and joined. */
const ALLOWED_PER_ANSWERED = 2
/** And that many at least: a text of no length is looked at too. */
const START = 64
/** Time may grow by this much when the text grows by four: linear is 4. */
const ALLOWED_GROWTH = 6
/** Long enough that reading everything again at each snapshot is more than that. */
const COUNTED_LENGTH = 4096
const TIMED_LENGTH = 16_384
/**
 * Chunks between two snapshots. Often enough that reading everything again at each is far more than is allowed; at every
 * chunk the answers alone would allow a stream to read everything again with each push.
 */
const CHUNKS_PER_SNAPSHOT = 8

/** Reading a long reply in small chunks must not cost its square. */
export const linearWork: Law = {
  id: 'linear-work',
  statement:
    'However a text is cut, a stream looks at no more than a fixed number of characters for each character given and answered.',
  guards: [30],
  cost: 'quadratic',
  needs: 'text',
  applies: ({ answers }) => answers.has('work'),
  ask: (sample, { countsWork }) =>
    isAsked(sample, countsWork) ? streamsOf(sample, countsWork).map((stream) => questionOf(stream)) : [],
  judge: (sample, answers, { countsWork }) => {
    const streams = streamsOf(sample, countsWork)
    return countsWork ? tooMuch(answers, streams) : tooSteep(answers, streams)
  },
}

/** Timing needs long texts, so it is done with a few samples only. */
function isAsked({ text, other }: Sample, countsWork: boolean): boolean {
  return text !== '' && (countsWork || (text.length + other.length) % TIMED_SHARE === 0)
}

const TIMED_SHARE = 32

/** A long text, and how it is read: in chunks of a length, with a snapshot after so many of them. */
interface Stream {
  readonly text: string
  readonly size: number
  readonly chunksPerSnapshot: number
}

const WITH_SNAPSHOTS = { size: 4, chunksPerSnapshot: CHUNKS_PER_SNAPSHOT } as const
const WITH_ONE_SNAPSHOT = { size: 4, chunksPerSnapshot: Number.POSITIVE_INFINITY } as const
const IN_LONG_CHUNKS = { size: 64, chunksPerSnapshot: Number.POSITIVE_INFINITY } as const

/** The text again and again, before a long tail, or behind a long start; counted work needs no growth. */
function streamsOf({ text }: Sample, countsWork: boolean): readonly Stream[] {
  if (!countsWork) {
    return [1, 2, 4].map((factor) => ({ text: repeated(text, factor * TIMED_LENGTH), ...IN_LONG_CHUNKS }))
  }
  // One of them per sample: there are many samples, and each of these texts is a long one.
  switch (text.length % 4) {
    case 0:
      return [{ text: repeated(text, COUNTED_LENGTH), ...WITH_SNAPSHOTS }]
    case 1:
      return [{ text: repeated(text, COUNTED_LENGTH), ...WITH_ONE_SNAPSHOT }]
    case 2:
      return [{ text: text + FILLER, ...WITH_SNAPSHOTS }]
    default:
      return [{ text: FILLER + text, ...WITH_SNAPSHOTS }]
  }
}

const FILLER = 'a'.repeat(COUNTED_LENGTH)

function questionOf(stream: Stream): Question {
  return { op: 'work', chunks: piecesOf(stream), chunksPerSnapshot: stream.chunksPerSnapshot }
}

function piecesOf({ text, size }: Stream): readonly string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return chunks
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, Math.max(length, text.length))
}

function workOf(answer: GoodAnswer | undefined): Work {
  if (answer?.op === 'work') return answer.work
  throw new Error('A question for work was answered with something else.')
}

function tooMuch(answers: readonly GoodAnswer[], streams: readonly Stream[]): Violation | null {
  for (const [index, stream] of streams.entries()) {
    const { amount, answered } = workOf(answers[index])
    const allowed = ALLOWED_PER_GIVEN * stream.text.length + ALLOWED_PER_ANSWERED * answered + START
    if (amount <= allowed) continue
    const expected = `at most ${allowed} characters`
    return { breach: 'too-much-work', chunks: piecesOf(stream), expected, got: `${amount} characters` }
  }
  return null
}

function tooSteep(answers: readonly GoodAnswer[], [shortest]: readonly Stream[]): Violation | null {
  const times = answers.map((answer) => workOf(answer).amount)
  const [first = 0] = times
  const last = times.at(-1) ?? 0
  if (last <= ALLOWED_GROWTH * Math.max(first, MIN_MS)) return null
  const chunks = shortest === undefined ? [] : piecesOf(shortest)
  const expected = `at most ${ALLOWED_GROWTH} times the time for 4 times the text`
  return { breach: 'too-steep', chunks, expected, got: times.map((ms) => `${ms} ms`) }
}

/** A shorter time is noise. */
const MIN_MS = 5
