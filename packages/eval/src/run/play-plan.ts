import type { Client } from '../client/client.ts'
import { isOfModel } from '../client/failure.ts'
import type { Failure } from '../client/failure.ts'
import { scoreEpisode } from '../score/score-episode.ts'
import type { EpisodeScore } from '../score/score-episode.ts'
import { offeredTools } from '../suite/task.ts'
import type { Suite } from '../suite/task.ts'
import type { StoredRun } from './open-run.ts'
import type { Job, Plan } from './plan.ts'
import { playEpisode } from './play-episode.ts'
import { maxTokensOf } from './request-settings.ts'
import { pooled } from './pool.ts'
import type { RecordedStart } from './recorded.ts'
import type { RequestSettings } from './request-settings.ts'
import { isOutage } from './trace.ts'
import type { EpisodeKey, EpisodeTrace, TraceLine } from './trace.ts'

/** How a model is reached. */
export interface RunModel {
  readonly client: Client
  /** Absent: the server knows the model by its name in the plan, and is asked as the protocols ask. */
  readonly settings?: RequestSettings
}

/** An episode as recorded and as scored. */
export interface PlayedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
}

/** What is played, with whom, and who is told. */
export interface PlayOptions {
  readonly suite: Suite
  readonly plan: Plan
  readonly modelFor: (key: EpisodeKey) => RunModel
  /** Episodes at a time. Changes nothing but the time. */
  readonly concurrency: number
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly signal?: AbortSignal
  /** What an interrupted run has recorded: it is neither asked nor written again. */
  readonly stored?: StoredRun
  /** Whether episodes that failed on the way to the server are repeated, from the turn that failed. */
  readonly retryErrors?: boolean
  /** Takes every new line of the trace before it counts. */
  readonly write: (line: TraceLine) => void
  /** Takes every episode of the plan, in its order. */
  readonly onEpisode: (played: PlayedEpisode) => void
  /** Is told when an episode has ended now, in the order in which that happens. */
  readonly onEnd?: (trace: EpisodeTrace) => void
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

/**
 * Plays what is left of a plan and scores all of it. What `onEpisode` gets does not depend on `concurrency`, nor on whether
 * the run was interrupted.
 *
 * @throws EvalAborted when the server is not there or refuses one request after the other
 * @throws whatever the signal was aborted with, and what `write` throws
 */
export async function playPlan(options: PlayOptions): Promise<void> {
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const abort = (reason: unknown): void => stop.abort(reason)
  const watch = watchFailures(options.plan.length, (failure) => abort(new EvalAborted(failure)))
  const write = (line: TraceLine): void => {
    try {
      options.write(line)
    } catch (error) {
      // Nothing that comes now could be kept.
      abort(error)
      throw error
    }
    watch(line)
  }
  await pooled<Job, PlayedEpisode>(options.plan.jobs(), {
    width: Math.max(1, Math.min(options.concurrency, options.plan.length)),
    take: options.onEpisode,
    work: (job) => {
      signal.throwIfAborted()
      return playOrRead(job, { ...options, signal, write })
    },
  })
}

type Playing = PlayOptions & { readonly signal: AbortSignal }

function playOrRead(job: Job, options: Playing): PlayedEpisode | Promise<PlayedEpisode> {
  const { stored, retryErrors = false } = options
  const known = stored?.episode(job.key) ?? { kind: 'missing' }
  switch (known.kind) {
    case 'missing':
      return play(job, undefined, options)
    case 'begun':
      return play(job, known.start, options)
    case 'ended':
      return retryErrors && known.isOutage && stored !== undefined
        ? playAgain(job, known.trace(), { ...options, stored })
        : score(job, known.trace(), options)
  }
}

async function play(job: Job, recorded: RecordedStart | undefined, options: Playing): Promise<PlayedEpisode> {
  const { suite, modelFor, signal, write, clock } = options
  const { key, task } = job
  const tools = offeredTools(suite, task)
  const world = { tools, toolbox: suite.toolbox, ...modelFor(key), clock, signal, write, recorded }
  const trace = await playEpisode({ key, task, ...world })
  signal.throwIfAborted()
  options.onEnd?.(trace)
  return score(job, trace, options)
}

/** The old lines count until the new ones end well. */
async function playAgain(
  job: Job,
  before: EpisodeTrace,
  options: Playing & { readonly stored: StoredRun },
): Promise<PlayedEpisode> {
  const { start, isBegun } = options.stored.retryStart(job.key)
  if (!isBegun) options.write({ kind: 'retry', ...job.key, from: start.turns.length })
  const played = await play(job, start, options)
  return isOutage(played.trace.turns) ? score(job, before, options) : played
}

function score(job: Job, trace: EpisodeTrace, { suite, modelFor }: Playing): PlayedEpisode {
  return scored(job, trace, { suite, parameters: modelFor(job.key).settings?.parameters ?? {} })
}

/** What a recorded episode is scored with. */
export interface ScoringOptions {
  readonly suite: Suite
  /** The fields of the requests beside their prompts. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Scores a trace with the task of a suite. */
export function scored({ task }: Job, trace: EpisodeTrace, { suite, parameters }: ScoringOptions): PlayedEpisode {
  return {
    trace,
    score: scoreEpisode(trace, { task, tools: offeredTools(suite, task), maxTokens: maxTokensOf(parameters) }),
  }
}

/** So many refusals in a row, without an answer in between, end the run. */
const REFUSALS = 3

function watchFailures(episodes: number, abort: (failure: Failure) => void): (line: TraceLine) => void {
  let answered = 0
  let refusals = 0
  return (line) => {
    if (line.kind !== 'turn') return
    const { failure } = line
    if (failure === null || isOfModel(failure)) {
      answered += 1
      refusals = 0
    } else if (failure.kind === 'unreachable' && answered === 0) abort(failure)
    else if (failure.kind === 'configuration') {
      refusals += 1
      if (refusals >= Math.min(REFUSALS, episodes)) abort(failure)
    }
  }
}
