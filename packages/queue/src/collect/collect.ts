import { setTimeout as pause } from 'node:timers/promises'
import type { EpisodeTrace, Plan, RunManifest, TraceLine } from '@callspec/eval'
import { createRefusals } from '@callspec/eval/run-parts'
import { RunError } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import { publishRun } from '../published-run.ts'
import { acknowledge } from '../redis/acknowledge.ts'
import { reportedBuilds } from '../redis/builds.ts'
import type { Build } from '../redis/builds.ts'
import { reportedServers } from '../redis/servers.ts'
import type { NamedServers } from '../redis/servers.ts'
import type { ProjectKeys, RunKeys } from '../redis/keys.ts'
import { takeLease } from '../redis/lease.ts'
import type { Lease } from '../redis/lease.ts'
import { newName } from '../redis/names.ts'
import { resendRows } from '../redis/resend.ts'
import { FULL_PATIENCE_MS, isFull, ROOM_ADVICE } from '../redis/room.ts'
import { seedEpisode } from '../redis/seed.ts'
import type { Durable } from './durable.ts'
import { seenWorkers } from '../work/heartbeat.ts'
import type { Entry, Intake, Taken } from './intake.ts'
import type { FailedChunk, Jobs } from './jobs.ts'
import type { Scoring } from './scoring.ts'
import { MOST_ENTRIES, readEntries } from './stream.ts'

/** Who collects what. */
export interface CollectOptions {
  readonly redis: Redis
  /** Another connection, for reads that wait. */
  readonly reader: Redis
  readonly project: ProjectKeys
  readonly keys: RunKeys
  readonly run: string
  readonly manifest: RunManifest
  readonly suiteFile: string
  readonly plan: Plan
  readonly intake: Intake
  readonly durable: Durable
  readonly jobs: Jobs
  /** Bytes that may wait for the collector. */
  readonly bound: number
  /** Whether all servers of the workers have to be of one build. */
  readonly sameBuild: boolean
  /** Is called when the run is in the queue, before anybody plays it. */
  readonly onPublished: () => void
  /** Takes every line for the journal. */
  readonly write: (line: TraceLine) => void
  /** Why no further episode is to be begun; null for no reason. */
  readonly stopsAt: () => string | null
  /** Scores them while nothing else is to be done. */
  readonly scoring: Pick<Scoring, 'ended' | 'spend'>
  readonly onEnd: (trace: EpisodeTrace) => void
  /** Is told whenever workers know more of their servers: all that is known. */
  readonly onEngines: (engines: Engines) => void
  /** Is told how many episodes are enqueued anew because nobody has them any more. */
  readonly onLost: (episodes: number) => void
  /** Takes what a user should know, one sentence each. */
  readonly onWarning: (sentence: string) => void
  /** Is called when no worker has been connected for a while: once, and again after there was one. */
  readonly onNoWorkers: () => void
  readonly times?: Partial<CollectTimes> | undefined
  /** Stops the collecting; everything stays as it is in Redis. */
  readonly signal: AbortSignal
}

/** How long the collector waits, in ms. */
export interface CollectTimes {
  /** Until it says that no worker is connected. */
  readonly aloneMs: number
  /** For a Redis that is full. */
  readonly fullMs: number
}

const TIMES: CollectTimes = { aloneMs: 10_000, fullMs: FULL_PATIENCE_MS }

/** What workers know of their servers. */
export interface Engines {
  readonly builds: readonly Build[]
  readonly servers: NamedServers
}

/** How the collecting ended. */
export type Collected =
  | { readonly kind: 'whole' }
  /** Chunks failed for a reason of ours; everything else has come. */
  | { readonly kind: 'failed'; readonly chunks: readonly FailedChunk[] }
  | { readonly kind: 'cancelled' }
  /** A limit was reached; the episodes under way have come to their end. */
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'taken-over' }
  /** Redis had no room for too long. It keeps what it has. */
  | { readonly kind: 'full' }

/** How often what is not urgent is looked after. */
const CARE_MS = 1000

/** What comes within so long is read at once: a read for every row would cost more than the row. */
const GATHER_MS = 50

/** Of a stream. */
const BEGINNING = '0'

/** So many rows that do not belong to the run are named. */
const MOST_NAMED = 5

/**
 * Writes what the workers store into the journal until the plan is played. What Redis has lost is put back: rows of the
 * journal, marks, and jobs of episodes that nobody has.
 *
 * @throws EvalAborted when the models refuse one request after the other
 * @throws what the signal was aborted with, and RunError for rows that nobody of ours stored
 */
export async function collect(options: CollectOptions): Promise<Collected> {
  const { redis, keys, signal, durable } = options
  const lease = await takeLease(redis, keys.collector, signal)
  try {
    const reading = createReading(options, lease)
    const watch = createWatch(options, reading)
    const full = createFullness(options)
    if (!(await full.passes(watch.begin))) await watch.readNames()
    let [cared, hasRows] = [performance.now(), false]
    for (;;) {
      signal.throwIfAborted()
      const found = await reading.read()
      const failure = durable.failure()
      if (failure !== null) throw failure
      // Whoever stored them has said before whom it asks.
      if (found > 0 && !hasRows) await watch.lookAtBuilds()
      hasRows ||= found > 0
      if (options.intake.left() === 0) {
        await watch.lookAtBuilds()
        return { kind: 'whole' }
      }
      if (performance.now() - cared < CARE_MS) continue
      if (!(await lease.renew())) return { kind: 'taken-over' }
      await watch.lookAtBuilds()
      let end: Collected | null = null
      // Reading goes on meanwhile: it makes room.
      await full.passes(async () => {
        await full.lookAt(found > 0)
        end = await watch.look()
      })
      end ??= full.isOver() ? { kind: 'full' } : null
      if (end !== null) return end
      cared = performance.now()
    }
  } finally {
    await lease.release().catch(() => {})
  }
}

/** Knows since when Redis has had no room. */
interface Fullness {
  /** Does something. @returns false where Redis has no room for it */
  passes(act: () => Promise<void>): Promise<boolean>
  /** Workers may be refused where the collector, which writes next to nothing, is not. @param hasRows whether rows came */
  lookAt(hasRows: boolean): Promise<void>
  /** Whether it has been full for too long. */
  isOver(): boolean
}

function createFullness({ redis, onWarning, times }: CollectOptions): Fullness {
  const { fullMs } = { ...TIMES, ...times }
  let [since, hasSaid]: [number | null, boolean] = [null, false]
  const found = (): void => {
    since ??= performance.now()
    if (!hasSaid) onWarning(`Redis is full, and the run waits until it has room. ${ROOM_ADVICE}`)
    hasSaid = true
  }
  return {
    passes: async (act) => {
      try {
        await act()
        return true
      } catch (error) {
        if (!isFull(error)) throw error
        found()
        return false
      }
    },
    lookAt: async (hasRows) => {
      const info = await redis.info('memory')
      const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
      const most = bytes('maxmemory')
      const isRefusing = most > 0 && bytes('used_memory') > most
      if (!isRefusing || hasRows) since = null
      if (isRefusing) found()
    },
    isOver: () => since !== null && performance.now() - since >= fullMs,
  }
}

/** Reads the stream. */
interface Reading {
  /** @returns how many entries there were */
  read(): Promise<number>
  /** Whether the last look at the stream found nothing new. */
  isAtEnd(): boolean
  /** The stream is read from its beginning again. */
  rewind(): void
}

function createReading(options: CollectOptions, lease: Lease): Reading {
  const { redis, reader, keys, intake, durable, plan, scoring, write, onEnd } = options
  const refusals = createRefusals({
    episodes: plan.length,
    write: (line) => {
      write(line)
      durable.written(line)
    },
  })
  let [last, isAtEnd] = [BEGINNING, false]
  const drop = createDropping(options)
  const take = async (entry: Entry): Promise<void> => {
    let taken: Taken
    try {
      taken = intake.take(entry)
    } catch (error) {
      await drop(entry, error)
      return
    }
    if (taken.kind !== 'new') {
      const ended = intake.hasEnded(entry.episode) ? entry.episode : null
      durable.settled({ id: entry.id, ended })
      if (taken.kind === 'stray' && intake.rowsOf(entry.episode).length > 0) await reseed(options, entry.episode)
      return
    }
    durable.expect({ id: entry.id, episode: entry.episode, isEnd: taken.ended !== null }, taken.lines)
    for (const line of taken.lines) refusals.write(line)
    if (taken.ended === null) return
    scoring.ended(entry.episode, taken.ended.trace, taken.ended.units)
    onEnd(taken.ended.trace)
  }
  const gather = async (isBusy: boolean): Promise<void> => {
    const began = performance.now()
    scoring.spend(GATHER_MS)
    if (isBusy) await pause(Math.max(0, GATHER_MS - (performance.now() - began)))
  }
  return {
    read: async () => {
      const entries = await readEntries(reader, keys.rows, last)
      isAtEnd = entries.length === 0
      for (const entry of entries) {
        last = entry.id
        await take(entry)
      }
      const written = durable.take()
      if (written.entries.length > 0) await acknowledge(redis, keys, { token: lease.token, written })
      if (intake.left() === 0) refusals.release()
      else if (entries.length < MOST_ENTRIES) await gather(entries.length > 0)
      return entries.length
    },
    isAtEnd: () => isAtEnd,
    rewind: () => {
      ;[last, isAtEnd] = [BEGINNING, false]
    },
  }
}

/** Leaves rows out of the journal, and of Redis, that do not belong to the run: the episode goes on from what the journal has. */
function createDropping(options: CollectOptions): (entry: Entry, error: unknown) => Promise<void> {
  let strange = 0
  return async ({ id, episode }, error) => {
    if (!(error instanceof RunError || error instanceof RangeError)) throw error
    strange += 1
    if (strange <= MOST_NAMED) {
      // What to do with a file does not help here.
      const what = error.message.replace(/\. (?:Take it out|Put back what was changed)\.$/, '')
      options.onWarning(`${what}, and was left out. Does anything else write to this Redis?`)
    }
    options.durable.settled({ id, ended: null })
    await reseed(options, episode)
  }
}

/** Sees to it that Redis has what it needs. */
interface Watch {
  begin(): Promise<void>
  /** So that rows of Redis are known to go on from those of the journal: writes nothing where they agree. */
  readNames(): Promise<void>
  /** @returns how the collecting ends, if it does */
  look(): Promise<Collected | null>
  /** Redis may lose them, and a worker says them once. */
  lookAtBuilds(): Promise<void>
}

function createWatch(options: CollectOptions, reading: Reading): Watch {
  const { redis, keys, plan, intake, jobs, onPublished, onLost } = options
  let [idle, server, isNew, hasBegun] = [0, '', false, false]
  const crew = createCrew(options)
  const nameBroken = createNaming(options)
  const builds = new Map<string, Build>()
  let [servers, known]: [NamedServers, string] = [{}, '']
  const begin = async (): Promise<void> => {
    isNew = !(await publish(options)) || isNew
    onPublished()
    server = await serverOf(redis)
    await remind(options)
    hasBegun = true
    if (isNew) await jobs.enqueue(intake.missing())
  }
  return {
    lookAtBuilds: async () => {
      for (const build of await reportedBuilds(redis, keys)) builds.set(JSON.stringify(build), build)
      servers = { ...servers, ...(await reportedServers(redis, keys)) }
      const engines = { builds: [...builds.values()], servers }
      const now = JSON.stringify(engines)
      if (now !== known && builds.size + Object.keys(servers).length > 0) options.onEngines(engines)
      known = now
    },
    ...{ begin, readNames: () => readNames(options) },
    look: async () => {
      await crew.look()
      if (!hasBegun) await begin()
      await jobs.send()
      await nameBroken()
      const state = await redis.hget(keys.meta, 'state')
      if (state === 'cancelled') return { kind: 'cancelled' }
      const now = await serverOf(redis)
      if (state === null || now !== server) {
        // A Redis that was started anew may have lost the last second, or everything.
        reading.rewind()
        await publish(options)
        await remind(options)
        server = now
      }
      const why = options.stopsAt()
      if (why !== null) {
        if (state === 'open') await redis.hset(keys.meta, 'state', 'closing')
        idle = (await jobs.active()) === 0 && reading.isAtEnd() ? idle + 1 : 0
        return idle < 2 ? null : { kind: 'stopped', why }
      }
      idle = (await jobs.pending()) === 0 && reading.isAtEnd() ? idle + 1 : 0
      // Once may be the moment between two: a chunk is done, its last rows are not read yet.
      if (idle < 2) return null
      idle = 0
      const chunks = await jobs.failed()
      const given = new Set(chunks.flatMap(({ episodes }) => episodes))
      const lost = [...intake.missing()].filter((episode) => !given.has(episode))
      if (lost.length === 0) return { kind: 'failed', chunks }
      if ((await resend(options, lost)) > 0) return null
      onLost(lost.length)
      // Nobody plays one of them: what workers have counted as ended beyond that is no more.
      await redis.hset(keys.meta, 'ended', plan.length - intake.left())
      await jobs.enqueue(lost)
      return null
    },
  }
}

async function readNames(options: CollectOptions): Promise<void> {
  for (const { episode } of options.intake.begun())
    await reseed(options, episode).catch((error: unknown) => {
      if (!isFull(error)) throw error
    })
}

/** Names each job once that was set aside. */
function createNaming({ jobs, onWarning }: CollectOptions): () => Promise<void> {
  const named = new Set<string>()
  return async () => {
    for (const name of await jobs.broken()) {
      if (!named.has(name))
        onWarning(`${name} was set aside, because its data is broken; its episodes are enqueued again`)
      named.add(name)
    }
  }
}

/** Says when the run has no worker. */
function createCrew({ redis, project, onNoWorkers, times }: CollectOptions): { look(): Promise<void> } {
  const { aloneMs } = { ...TIMES, ...times }
  let [since, hasSaid] = [performance.now(), false]
  return {
    look: async () => {
      const workers = await seenWorkers(redis, project.workers)
      if (workers.some(({ left, silentMs }) => left === null && silentMs < aloneMs)) {
        ;[since, hasSaid] = [performance.now(), false]
        return
      }
      if (hasSaid || performance.now() - since < aloneMs) return
      hasSaid = true
      onNoWorkers()
    },
  }
}

async function publish({
  redis,
  project,
  keys,
  manifest,
  suiteFile,
  bound,
  sameBuild,
  plan,
  intake,
}: CollectOptions): Promise<boolean> {
  const ended = plan.length - intake.left()
  const publication = { manifest, suiteFile, bound, sameBuild, episodes: plan.length, ended }
  return publishRun(redis, { project, keys, publication })
}

/** Marks, and the rows of episodes that have begun, as the journal has them. */
async function remind(options: CollectOptions): Promise<void> {
  const { redis, keys, intake } = options
  await redis.set(keys.done, intake.marks())
  for (const { episode } of intake.begun()) await reseed(options, episode)
}

/** Redis is to have what the journal has. */
async function reseed({ redis, keys, intake }: CollectOptions, episode: number): Promise<void> {
  const lines = intake.rowsOf(episode)
  if (lines.length === 0) {
    await redis.del(keys.episode(episode))
    return
  }
  intake.named(episode, await seedEpisode(redis, keys, { episode, name: newName(), lines }))
}

/** What workers have stored of these episodes and the stream has no more. @returns of how many */
async function resend(options: CollectOptions, episodes: readonly number[]): Promise<number> {
  const { redis, keys, intake, bound } = options
  const known = episodes.map((episode) => ({ episode, rows: intake.rowsOf(episode).length }))
  for (const { episode, rows } of known) if (rows > 0) await reseed(options, episode)
  return resendRows(redis, keys, { known, bound })
}

/** Another text for every start of the server. */
async function serverOf(redis: Redis): Promise<string> {
  return /^run_id:(\S+)/m.exec(await redis.info('server'))?.[1] ?? ''
}
