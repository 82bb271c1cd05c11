import { answerTo } from '../src/answer.ts'
import type { Answers, Question, Subject } from '../src/answer.ts'

/** Sends questions to a worker, so that no pasted text blocks the page. */
export interface Asker {
  /** Only the last of several questions about one subject is answered. Null if it took too long. */
  readonly ask: <About extends Subject>(
    about: About,
    question: Answers[About]['question'],
    done: (answer: Answers[About]['answer'] | null) => void,
  ) => void
}

interface WaitingQuestion {
  readonly question: Question
  readonly done: (answer: unknown) => void
}

/** A question that takes longer is cancelled together with its worker. In milliseconds. */
const LONGEST_WAIT = 20_000

/** An asker whose worker runs the script of the page; if workers are unavailable, the page itself answers. */
export function createAsker(script: string): Asker {
  const waiting = new Map<Subject, WaitingQuestion>()
  let worker = startWorker(script)
  let running: (WaitingQuestion & { readonly timer: number }) | null = null
  const next = (): void => {
    const [first] = waiting.values()
    if (running !== null || first === undefined) return
    const { about } = first.question
    waiting.delete(about)
    if (worker === null) {
      void Promise.resolve(answerTo(first.question)).then(first.done)
      next()
      return
    }
    running = { ...first, timer: window.setTimeout(() => settle(null), LONGEST_WAIT) }
    worker.postMessage(first.question, [])
  }
  const settle = (answer: unknown): void => {
    if (running === null) return
    const { done, timer } = running
    running = null
    window.clearTimeout(timer)
    if (answer === null) {
      worker?.terminate()
      worker = listened(startWorker(script))
    }
    done(answer)
    next()
  }
  const listened = (made: Worker | null): Worker | null => {
    made?.addEventListener('message', ({ data }: MessageEvent<unknown>) => settle(data))
    made?.addEventListener('error', () => settle(null))
    return made
  }
  worker = listened(worker)
  return {
    ask: (about, question, done) => {
      // The union of questions is what the members of `Answers` come to.
      const asked = { about, ...question } as unknown as Question
      waiting.set(about, { question: asked, done: done as (answer: unknown) => void })
      next()
    },
  }
}

function startWorker(script: string): Worker | null {
  try {
    const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
    return new Worker(address)
  } catch {
    return null
  }
}
