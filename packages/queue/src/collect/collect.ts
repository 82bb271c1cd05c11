import { setTimeout as pause } from 'node:timers/promises'
import type { EpisodeTrace, Plan, RunManifest, TraceLine } from '@callspec/eval'
import { createRefusals } from '@callspec/eval/run-parts'
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
import { seedEpisode } from '../redis/seed.ts'
import type { Durable } from './durable.ts'
import type { Entry, Intake } from './intake.ts'
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
  /** Stops the collecting; everything stays as it is in Redis. */
  readonly signal: AbortSignal
}

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

/** How often what is not urgent is looked after. */
const CARE_MS = 1000

/** What comes within so long is read at once: a read for every row would cost more than the row. */
const GATHER_MS = 50

/** Of a stream. */
const BEGINNING = '0'

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
    await watch.begin()
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
      const end = await watch.look()
      if (end !== null) return end
      cared = performance.now()
    }
  } finally {
    await lease.release().catch(() => {})
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
  const take = async (entry: Entry): Promise<void> => {
    const taken = intake.take(entry)
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

/** Sees to it that Redis has what it needs. */
interface Watch {
  begin(): Promise<void>
  /** @returns how the collecting ends, if it does */
  look(): Promise<Collected | null>
  /** Redis may lose them, and a worker says them once. */
  lookAtBuilds(): Promise<void>
}

function createWatch(options: CollectOptions, reading: Reading): Watch {
  const { redis, keys, plan, intake, jobs, onPublished, onLost } = options
  let [idle, server] = [0, '']
  const builds = new Map<string, Build>()
  let [servers, known]: [NamedServers, string] = [{}, '']
  return {
    lookAtBuilds: async () => {
      for (const build of await reportedBuilds(redis, keys)) builds.set(JSON.stringify(build), build)
      servers = { ...servers, ...(await reportedServers(redis, keys)) }
      const engines = { builds: [...builds.values()], servers }
      const now = JSON.stringify(engines)
      if (now !== known && builds.size + Object.keys(servers).length > 0) options.onEngines(engines)
      known = now
    },
    begin: async () => {
      const isKnown = await publish(options)
      onPublished()
      server = await serverOf(redis)
      await remind(options)
      if (!isKnown) await jobs.enqueue(intake.missing())
    },
    look: async () => {
      const state = await redis.hget(keys.meta, 'state')
      if (state === 'cancelled') return { kind: 'cancelled' }
      const now = await serverOf(redis)
      if (state === null || now !== server) {
        // A Redis that was started anew may have lost the last second, or everything.
        server = now
        reading.rewind()
        await publish(options)
        await remind(options)
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
