import { readFileSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { buildSuite } from './build-suite.ts'
import { findMutants } from './find-mutants.ts'
import type { CodeMutant } from './find-mutants.ts'
import { SWITCH } from './instrument.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')

/** A part of our code, and the tests that concern it. Paths from the root. */
export interface MutatedPart {
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/** What came of the mutants of a part. */
export interface MutationResult {
  readonly killed: number
  /** Of those that were killed: tests that did not come to an end. */
  readonly timedOut: number
  readonly survivors: readonly CodeMutant[]
  /** How many tests passed with nothing changed, of those that were declared. */
  readonly tests: number
  readonly declared: number
}

export interface DrawOptions {
  readonly count: number
  readonly seed: number
}

/** So long may all tests take for one mutant: as a multiple of the processor time that they take unchanged, and at least; milliseconds. */
const PATIENCE = 20
const LEAST_PATIENCE = 20_000
/** A test that takes more processor time is too dear to be run for each mutant. */
const MAX_TEST_MS = 1_000

/** Draws mutants of a part, the same for the same seed, and runs the tests against each. */
export async function runMutants(part: MutatedPart, draw: DrawOptions): Promise<MutationResult> {
  const all = part.files.flatMap((file) => findMutants(file, readFileSync(resolve(ROOT, file), 'utf8')))
  const drawn = drawnFrom(all, draw)
  const suite = await buildSuite(part.tests, drawn)
  const first = await tryOut(suite)
  const quick = first.passed.filter(({ took }) => took <= MAX_TEST_MS).toSorted((one, other) => one.took - other.took)
  const names = quick.map(({ name }) => name)
  const limit = Math.max(LEAST_PATIENCE, PATIENCE * quick.reduce((sum, { took }) => sum + took, 0))
  const survivors: CodeMutant[] = []
  let timedOut = 0
  let worker = workerOf(suite, names)
  for (const [number, mutant] of drawn.entries()) {
    const answer = await ask<{ readonly killedBy: string | null }>(worker, number, limit)
    if (answer === null) {
      timedOut += 1
      await worker.terminate()
      worker = workerOf(suite, names)
    } else if (answer.killedBy === null) survivors.push(mutant)
  }
  await worker.terminate()
  rmSync(dirname(suite), { recursive: true, force: true })
  return { killed: drawn.length - survivors.length, timedOut, survivors, tests: names.length, declared: first.declared }
}

/** Each mutant is as likely as any other: the first of all of them in a shuffled order. */
function drawnFrom(all: readonly CodeMutant[], { count, seed }: DrawOptions): readonly CodeMutant[] {
  let state = seed >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return all
    .map((mutant) => ({ mutant, place: next() }))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

interface TriedOut {
  readonly passed: readonly { readonly name: string; readonly took: number }[]
  readonly declared: number
}

async function tryOut(suite: string): Promise<TriedOut> {
  const worker = workerOf(suite, null)
  const answer = await ask<TriedOut>(worker, null, 600_000)
  await worker.terminate()
  if (answer === null) throw new Error('the tests take more than ten minutes with nothing changed')
  return answer
}

function workerOf(suite: string, names: readonly string[] | null): Worker {
  return new Worker(new URL('worker.mjs', import.meta.url), { workerData: { suite, names, key: SWITCH } })
}

/** What the worker says; null where it says nothing in time, or ends. */
function ask<Answer>(worker: Worker, number: number | null, limit: number): Promise<Answer | null> {
  return new Promise((resolveAnswer) => {
    const settle = (answer: Answer | null): void => {
      clearTimeout(timer)
      worker.off('message', settle).off('error', none).off('exit', none)
      resolveAnswer(answer)
    }
    const none = (): void => settle(null)
    const timer = setTimeout(() => settle(null), limit)
    worker.once('message', settle)
    worker.once('error', none)
    worker.once('exit', none)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ number })
  })
}
