import { Worker } from 'node:worker_threads'
import { SWITCH, TICK } from './instrument.ts'

/** What a test takes with nothing changed. */
export interface TriedTest {
  readonly name: string
  /** Processor time, in milliseconds. */
  readonly took: number
  /** Turns of loops. */
  readonly ticks: number
  /** Numbers of the mutants whose place it reaches. */
  readonly reached: readonly number[]
}

export interface TriedSuite {
  readonly passed: readonly TriedTest[]
  readonly declared: number
  /** Numbers of the mutants whose place is reached while the modules are loaded. */
  readonly atLoad: readonly number[]
}

/** What came of one mutant; where the tests did not come to an end, null. */
export interface Outcome {
  readonly killedBy: string | null
  /** Whether the test that failed passes again when nothing is changed. */
  readonly isClean: boolean
  /** Whether a test did not come by the mutant this time: what was made there is kept from an earlier run. */
  readonly isHidden: boolean
}

/** Loads a suite in a thread of its own; with the mutant `on` while it is loaded. */
export function workerOf(suite: string, on: number | null = null): Worker {
  return new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { suite, on, switchName: SWITCH, tickName: TICK },
    stdout: true,
    stderr: true,
  })
}

/** Runs the tests of these names, or all, with nothing changed. */
export async function tryOut(suite: string, names: readonly string[] | null): Promise<TriedSuite> {
  const worker = workerOf(suite)
  const answer = await ask<TriedSuite>(worker, { number: null, names }, 600_000)
  await worker.terminate()
  if (answer === null) throw new Error('the tests end, or take ten minutes, with nothing changed')
  return answer
}

/** Runs tests for one mutant in this order, up to the first failure; null where that takes more processor time, in milliseconds. */
export function runFor(
  worker: Worker,
  { number, tests, limit }: { readonly number: number; readonly tests: readonly TriedTest[]; readonly limit: number },
): Promise<Outcome | null> {
  return ask<Outcome>(worker, { number, wanted: tests.map(({ name, ticks }) => ({ name, ticks })) }, limit)
}

const LOOK_MS = 250
/** A thread that does nothing for so many looks waits for what never comes. */
const IDLE_LOOKS = 40
const IDLE_MS = 15

/** What the worker says; null where it takes more processor time than the limit, in milliseconds, does nothing, or ends. */
function ask<Answer>(worker: Worker, question: object, limit: number): Promise<Answer | null> {
  return new Promise((resolveAnswer) => {
    const start = processorTime()
    let before = start
    let idle = 0
    const look = (): void => {
      const now = processorTime()
      idle = now - before < IDLE_MS ? idle + 1 : 0
      before = now
      if (now - start > limit || idle > IDLE_LOOKS) settle(null)
    }
    const timer = setInterval(look, LOOK_MS)
    const settle = (answer: Answer | null): void => {
      clearInterval(timer)
      worker.off('message', settle).off('error', none).off('exit', none)
      resolveAnswer(answer)
    }
    const none = (): void => settle(null)
    worker.once('message', settle)
    worker.once('error', none)
    worker.once('exit', none)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(question)
  })
}

/** Of this process, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
