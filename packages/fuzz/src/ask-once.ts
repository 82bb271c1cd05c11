import type { Answer, Question } from './question.ts'
import type { RemoteSubject } from './subject.ts'

/** A search was ended from outside while a parser was being asked. */
export class SearchEnded extends Error {
  override readonly name = 'SearchEnded'
}

/**
 * A parser elsewhere that is asked each question of a batch once, because many laws begin with the same ones. What has to be
 * asked again, and what is measured, is asked every time. Once the signal is aborted, no answer is waited for.
 *
 * @returns a subject whose `answerAll` fails with SearchEnded once the signal is aborted
 */
export function askOnce(subject: RemoteSubject, signal: AbortSignal | undefined): RemoteSubject {
  return {
    ...subject,
    answerAll: async (questions) => {
      const places = new Map<string, number>()
      const unique: Question[] = []
      const placeOf = questions.map((question) => {
        const key = isAskedAnew(question) ? null : JSON.stringify(question)
        const before = key === null ? undefined : places.get(key)
        if (before !== undefined) return before
        if (key !== null) places.set(key, unique.length)
        return unique.push(question) - 1
      })
      const answers = await unlessAborted(signal, () => subject.answerAll(unique))
      return placeOf.map((place) => answers[place] ?? MISSING)
    },
  }
}

const MISSING: Answer = { op: 'none', how: 'garbled', reason: 'there are fewer answers than questions' }

function isAskedAnew(question: Question): boolean {
  return question.op === 'work' || (question.op === 'parse' && question.again === true)
}

function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work()
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new SearchEnded('the search was ended'))
    if (signal.aborted) {
      end()
      return
    }
    signal.addEventListener('abort', end, { once: true })
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end))
  })
}

/** What comes of asking; null where the search was ended meanwhile. */
export async function unlessEnded<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof SearchEnded) return null
    throw error
  }
}
