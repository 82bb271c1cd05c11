import { createRunFolder, EvalAborted, runEval, RunStopped } from '@callspec/eval'
import { RunError } from '@callspec/eval/worker-parts'
import type { EvalSummary, RunConfig, RunEvent, RunFolder, RunManifest, RunOptions, StoredRun } from '@callspec/eval'
import { continueRun, createSpending, joinBuilds } from '@callspec/eval/run-parts'
import { planOf, resolveConfig } from '@callspec/eval/worker-parts'
import type { ResolvedConfig } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import { collect } from './collect/collect.ts'
import type { Collected, Engines } from './collect/collect.ts'
import { createDurable } from './collect/durable.ts'
import type { Durable } from './collect/durable.ts'
import { createIntake } from './collect/intake.ts'
import type { Intake } from './collect/intake.ts'
import { openJobs } from './collect/jobs.ts'
import type { Jobs } from './collect/jobs.ts'
import { runNameOf } from './published-run.ts'
import type { QueueAddress } from './redis/address.ts'
import { connect } from './redis/connect.ts'
import type { Connection } from './redis/connect.ts'
import { projectKeys, runKeys } from './redis/keys.ts'
import type { ProjectKeys, RunKeys } from './redis/keys.ts'
import { removeRun } from './redis/remove.ts'

/** What a run over a queue needs beside its config. */
export interface QueueOptions extends Pick<
  RunOptions,
  'signal' | 'drain' | 'onEvent' | 'resume' | 'now' | 'system' | 'limits'
> {
  readonly queue: QueueAddress
  /** Bytes of replies that may wait in Redis. Default: `DEFAULT_BOUND`. */
  readonly bound?: number | undefined
  /** Is told what a user should know, one sentence each. */
  readonly onWarning?: ((sentence: string) => void) | undefined
}

/** 64 MB. */
export const DEFAULT_BOUND: number = 64 << 20

/**
 * Lets workers play a plan, writes its folder, and gives back what stands in `summary.json`: the same as `runEval` gives for the
 * same replies.
 *
 * @throws RunError for what the caller can put right, in one line
 * @throws RunStopped when the run does not come to its end by itself; it goes on with `resume`
 * @throws EvalAborted when the models refuse one request after the other
 * @throws whatever the signals were aborted with; the workers go on as far as there is room for what they get
 */
export async function evaluateOverQueue(config: RunConfig, options: QueueOptions): Promise<EvalSummary> {
  const { now = () => new Date(), resume } = options
  if (resume?.retryErrors === true)
    throw new RunError('episodes that failed are repeated without a queue: leave out --queue, or --retry-errors')
  if ((config.reports ?? null) === null && resume === undefined)
    throw new RunError('a run over a queue needs a folder for its replies')
  const resolved = resolveConfig(config, now())
  const connection = await connect(options.queue)
  try {
    for (const warning of connection.warnings) options.onWarning?.(warning)
    const folder = await collectInto(resolved, config, { ...options, connection })
    // Everything is there: it is read, scored and written as any other run that goes on.
    const { onEvent } = options
    const toldOnce = (event: RunEvent): void => {
      if (event.type === 'scored') onEvent?.(event)
    }
    return await runEval(config, { ...options, resume: { folder }, asksEngines: false, onEvent: toldOnce })
  } finally {
    connection.close()
  }
}

type Collecting = QueueOptions & { readonly connection: Connection }

/** @returns the folder, which holds the whole journal */
async function collectInto(resolved: ResolvedConfig, config: RunConfig, options: Collecting): Promise<string> {
  const { resume, onEvent } = options
  const durable = createDurable({ hasLines: resume !== undefined, system: options.system })
  const opened = openFolder({ resolved, config, durable, resume, onEvent })
  const { stored, folder } = opened
  const manifest = stored?.manifest ?? resolved.manifest
  const plan = planOf(resolved.manifest, resolved.suite)
  const intake = createIntake(plan, stored)
  const place = placeOf(options, runNameOf(manifest), plan.length)
  const clock = (): number => performance.now()
  const spending = createSpending(options.limits ?? {}, { prices: config.prices ?? {}, clock })
  const signals = [options.signal, options.drain].filter((signal) => signal !== undefined)
  onEvent?.({ type: 'started', episodes: plan.length, recorded: plan.length - intake.left() })
  try {
    const collected = await collect({
      ...{ ...place, reader: options.connection.another(), manifest, plan, intake, durable },
      suiteFile: stored?.suiteFile ?? resolved.suiteFile,
      bound: options.bound ?? DEFAULT_BOUND,
      sameBuild: config.sameBuild === true,
      signal: signals.length === 0 ? new AbortController().signal : AbortSignal.any(signals),
      onPublished: folder.make,
      stopsAt: spending.reached,
      write: (line) => {
        folder.append(line)
        spending.add(line)
        onEvent?.({ type: 'line', line })
      },
      onEnd: (trace) => onEvent?.({ type: 'ended', trace, done: plan.length - intake.left(), of: plan.length }),
      onEngines: (engines) => recordEngines(engines, folder, manifest),
      onLost: (episodes) => options.onWarning?.(`${episodes} episodes were lost in the queue and are enqueued again`),
    })
    if (collected.kind !== 'taken-over') await recordWay(place, folder, manifest)
    folder.close()
    durable.closed()
    await leave(collected, { place, intake, durable })
    return folder.path() ?? ''
  } catch (error) {
    if (error instanceof EvalAborted) await end(error, { place, intake, durable }, folder)
    throw error
  } finally {
    folder.close()
    stored?.close()
    await place.jobs.close().catch(() => {})
  }
}

interface Opening {
  readonly resolved: ResolvedConfig
  readonly config: RunConfig
  readonly durable: Durable
  readonly resume: RunOptions['resume']
  readonly onEvent: RunOptions['onEvent']
}

function openFolder({ resolved, config, durable: { system }, resume, onEvent }: Opening): {
  readonly folder: RunFolder
  readonly stored: StoredRun | null
} {
  const { manifest, suiteFile } = resolved
  const onMade = (path: string): void => onEvent?.({ type: 'folder', folder: path })
  if (resume === undefined) {
    const folder = createRunFolder({ parent: config.reports ?? '', manifest, suite: suiteFile, onMade, system })
    return { folder, stored: null }
  }
  const opened = continueRun(resume.folder, { wanted: manifest, system, acceptEdited: resume.acceptEdited === true })
  onMade(resume.folder)
  return opened
}

/** Where the run is in Redis. */
interface Place {
  readonly redis: Redis
  readonly project: ProjectKeys
  readonly keys: RunKeys
  readonly run: string
  readonly jobs: Jobs
}

function placeOf({ queue: { prefix }, connection: { redis } }: Collecting, run: string, size: number): Place {
  const [project, keys] = [projectKeys(prefix), runKeys(prefix, run)]
  return { redis, project, keys, run, jobs: openJobs(redis, { project, keys, run, size }) }
}

/** What the workers learned from the engines, as a run on one machine would have. */
function recordEngines(
  { builds, servers }: Engines,
  folder: RunFolder,
  { engines = {}, servers: before = {} }: RunManifest,
): void {
  const joined = builds.reduce((known, [model, build]) => joinBuilds(known, { [model]: build }), engines)
  folder.writeManifest({ engines: joined, servers: { ...before, ...servers } })
}

/** What the workers did for nothing. */
async function recordWay(
  { redis, keys }: Place,
  folder: RunFolder,
  { transport = {} }: Pick<RunManifest, 'transport'>,
): Promise<void> {
  const [again, dropped] = (await redis.hmget(keys.meta, 'again', 'dropped')).map((count) => Number(count ?? 0))
  const askedTwice = (transport.askedTwice ?? 0) + (again ?? 0)
  const all = { askedTwice, dropped: (transport.dropped ?? 0) + (dropped ?? 0) }
  if (all.askedTwice + all.dropped > 0) folder.writeManifest({ transport: all })
}

interface Leaving {
  readonly place: Place
  readonly intake: Intake
  readonly durable: Durable
}

/** Nothing more is asked, and a folder without an answer is of no use to anybody. */
async function end({ answered }: EvalAborted, leaving: Leaving, folder: RunFolder): Promise<void> {
  if (answered === 0) folder.discard()
  await remove(leaving)
}

/**
 * Takes the run out of Redis, unless others need it.
 *
 * @throws RunStopped where the run is not whole
 */
async function leave(collected: Collected, leaving: Leaving): Promise<void> {
  if (collected.kind === 'taken-over') throw new RunStopped('another process collects the run now')
  await remove(leaving)
  if (collected.kind === 'cancelled') throw new RunStopped('the run was cancelled')
  if (collected.kind === 'stopped') throw new RunStopped(collected.why)
  if (collected.kind === 'whole') return
  const [first] = collected.chunks
  const what = first === undefined ? '' : ` First of all ${first.name}: ${first.reason}`
  throw new RunStopped(`${collected.chunks.length} chunks failed.${what}`)
}

async function remove({ place, intake, durable }: Leaving): Promise<void> {
  const { redis, project, keys, run, jobs } = place
  const begun = [...intake.begun()].map(({ episode }) => episode)
  await jobs.remove()
  await removeRun(redis, { project, keys, run, begun: [...begun, ...durable.take().ended] })
}
