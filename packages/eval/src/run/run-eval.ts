import type { Client } from '../client/client.ts'
import type { Failure } from '../client/failure.ts'
import type { Protocol } from '../protocol.ts'
import { scoreEpisode } from '../score/score-episode.ts'
import type { EpisodeScore } from '../score/score-episode.ts'
import { offeredTools } from '../suite/task.ts'
import type { Suite, Task } from '../suite/task.ts'
import { playEpisode } from './play-episode.ts'
import { pooled } from './pool.ts'
import type { EpisodeKey, EpisodeTrace, TraceLine } from './trace.ts'

/** What a run asks of whom. */
export interface EvalOptions {
  readonly suite: Suite
  /** Which of the suite's tasks, in their order. */
  readonly tasks: readonly Task[]
  readonly models: readonly string[]
  readonly protocols: readonly Protocol[]
  /** Passes over the tasks; pass k asks with seed + k. */
  readonly repeat: number
  readonly seed: number
  /** Episodes at a time. Changes nothing but the time. */
  readonly concurrency: number
  readonly client: Client
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly signal?: AbortSignal
  /** Takes every line of the trace before it counts. */
  readonly write: (line: TraceLine) => void
  readonly onEpisode?: (done: number, of: number) => void
}

/** An episode as recorded and as scored. */
export interface PlayedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
}

/** More requests will not help: a wrong key, a wrong model, no server. */
export class EvalAborted extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'EvalAborted'
    this.failure = failure
  }
}

/** So many refusals in a row, without an answer in between, end the run. */
const REFUSALS = 3

/**
 * Plays models × protocols × passes × tasks and scores each. The result is in the order of the plan and does not depend
 * on `concurrency`.
 *
 * @throws EvalAborted when the server is not there or refuses one request after the other
 * @throws whatever the signal was aborted with
 */
export async function runEval(options: EvalOptions): Promise<readonly PlayedEpisode[]> {
  const jobs = plan(options)
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const watch = watchFailures(jobs.length, (failure) => stop.abort(new EvalAborted(failure)))
  let done = 0
  return pooled(jobs, options.concurrency, async ({ key, task }) => {
    signal.throwIfAborted()
    const tools = offeredTools(options.suite, task)
    const write = (line: TraceLine): void => {
      options.write(line)
      watch(line)
    }
    const { client, clock, suite } = options
    const trace = await playEpisode({ key, task, tools, toolbox: suite.toolbox, client, write, clock, signal })
    signal.throwIfAborted()
    done += 1
    options.onEpisode?.(done, jobs.length)
    return { trace, score: scoreEpisode(trace, { task, tools }) }
  })
}

interface Job {
  readonly key: EpisodeKey
  readonly task: Task
}

function plan({ models, protocols, repeat, seed, tasks }: EvalOptions): readonly Job[] {
  return models.flatMap((model) =>
    protocols.flatMap((protocol) =>
      Array.from({ length: repeat }, (_, pass) => seed + pass).flatMap((sample) =>
        tasks.map((task) => ({ key: { model, protocol, task: task.id, sample }, task })),
      ),
    ),
  )
}

function watchFailures(jobs: number, abort: (failure: Failure) => void): (line: TraceLine) => void {
  let answered = 0
  let refusals = 0
  return (line) => {
    if (line.kind !== 'turn') return
    const { failure } = line
    if (failure === null) {
      answered += 1
      refusals = 0
    } else if (failure.kind === 'unreachable' && answered === 0) abort(failure)
    else if (failure.kind === 'configuration') {
      refusals += 1
      if (refusals >= Math.min(REFUSALS, jobs)) abort(failure)
    }
  }
}
