import { randomUUID } from 'node:crypto'
import { Job, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Chunk } from '../jobs.ts'
import { readChunk } from '../jobs.ts'
import type { ProjectKeys } from '../redis/keys.ts'
import { QUEUE_NAME } from '../redis/keys.ts'
import { isFull } from '../redis/connect.ts'

/** A chunk that this worker may play, until somebody else may. */
export interface LeasedChunk extends Chunk {
  readonly id: string
  /** Whether it is still ours, as far as we know. */
  isOurs(): boolean
  done(): Promise<void>
  /** @param reason one line for whoever runs the evaluation */
  failed(reason: string): Promise<void>
  /** Gives it back unplayed. */
  giveBack(): Promise<void>
}

/** Chunks from BullMQ: its locks and its search for stalled jobs decide who has one. */
export interface Leases {
  /** The next chunk; null when there is none at the moment. */
  next(): Promise<LeasedChunk | null>
  close(): Promise<void>
}

/** How long a lock is kept by a worker that is not heard of, and how often stalled jobs are looked for. */
export interface LeaseTimes {
  readonly lockMs: number
  readonly stalledMs: number
}

/** Short: a lock is renewed by a timer, however slow a reply is. */
const LEASE_TIMES: LeaseTimes = { lockMs: 15_000, stalledMs: 10_000 }

/** Killed workers are no fault of a chunk: it is never failed for them. */
const ANY_NUMBER = 1_000_000_000

type ChunkJob = Job<Chunk>

/** Why a job is set aside that no worker could play. */
const BROKEN = 'its data is no chunk of callspec'

/** Takes chunks by hand, so that a chunk is only taken when there is room for one of its episodes. */
export async function openLeases(
  redis: Redis,
  project: ProjectKeys,
  { lockMs, stalledMs }: LeaseTimes = LEASE_TIMES,
): Promise<Leases> {
  const worker = new Worker<Chunk>(QUEUE_NAME, null, {
    ...{ connection: redis, prefix: project.jobs, autorun: false, skipVersionCheck: true },
    ...{ lockDuration: lockMs, stalledInterval: stalledMs, maxStalledCount: ANY_NUMBER },
  })
  // Redis may be away for a while; who waits for an answer gets it afterwards.
  worker.on('error', () => {})
  await worker.waitUntilReady()
  await worker.startStalledCheckTimer()
  const token = randomUUID()
  const held = new Map<string, ChunkJob>()
  const renew = async (): Promise<void> => {
    const ids = [...held.keys()]
    if (ids.length === 0) return
    const tokens = ids.map(() => token)
    for (const lost of await worker.extendJobLocks(ids, tokens, lockMs)) held.delete(lost)
  }
  const renewing = setInterval(() => void renew().catch(() => {}), lockMs / 3)
  const leave = async (id: string, act: (job: ChunkJob) => Promise<unknown>): Promise<void> => {
    const job = held.get(id)
    held.delete(id)
    // Somebody else has it: then it is theirs to say what came of it.
    if (job !== undefined) await act(job).catch(() => {})
  }
  const nextJob = (): Promise<ChunkJob | undefined> => nextReadable(worker, redis, token)
  return {
    next: async () => {
      const job = await nextJob()
      const { id } = job ?? {}
      if (job === undefined || id === undefined) return null
      held.set(id, job)
      const chunk = readChunk(job.data)
      if (chunk === null) {
        await leave(id, () => job.moveToFailed(new Error(BROKEN), token, false))
        return null
      }
      return {
        ...{ ...chunk, id },
        isOurs: () => held.has(id),
        done: () => leave(id, () => job.moveToCompleted(null, token, false)),
        failed: (reason) => leave(id, () => job.moveToFailed(new Error(reason), token, false)),
        giveBack: () => leave(id, () => job.moveToWait(token)),
      }
    },
    close: async () => {
      clearInterval(renewing)
      await worker.close(true)
    },
  }
}

async function isReadable(worker: Worker<Chunk>, id: string): Promise<boolean> {
  try {
    await Job.fromId(worker, id)
    return true
  } catch {
    return false
  }
}

/** The next job; undefined where there is none, where Redis has no room to give one out, and where the next one had to be set aside. */
async function nextReadable(worker: Worker<Chunk>, redis: Redis, token: string): Promise<ChunkJob | undefined> {
  try {
    return await worker.getNextJob(token, { block: false })
  } catch (error) {
    if (isFull(error)) return undefined
    // Otherwise Redis itself has answered: the fault is not in the data of a job.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    await setAside(worker, redis, token)
    return undefined
  }
}

/** A job whose data cannot be read stays in the list of those that are played, and would go to one worker after the other. */
async function setAside(worker: Worker<Chunk>, redis: Redis, token: string): Promise<void> {
  for (const id of await redis.lrange(worker.toKey('active'), 0, -1)) {
    if (await isReadable(worker, id)) continue
    const key = worker.toKey(id)
    await redis.del(key)
    await redis.hset(key, { name: 'chunk', data: '{}', opts: '{}', timestamp: 0, delay: 0, priority: 0 })
    const job = await Job.fromId<Chunk>(worker, id)
    // Another worker may hold it: that one sets it aside.
    await job?.moveToFailed(new Error(BROKEN), token, false).catch(() => {})
  }
}

/** Places for episodes. */
export interface Slots {
  /** Waits for a place. */
  acquire(): Promise<void>
  release(): void
  /** How many are taken. */
  busy(): number
}

/** So many places; whoever waits longest gets the next one. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let taken = 0
  return {
    acquire: () => {
      if (taken < count) {
        taken += 1
        return Promise.resolve()
      }
      return new Promise((resolve) => void waiting.push(resolve))
    },
    release: () => {
      const next = waiting.shift()
      if (next === undefined) taken -= 1
      else next()
    },
    busy: () => taken,
  }
}
