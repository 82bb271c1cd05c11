import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { readChunk } from '../chunks.ts'
import type { Chunk } from '../chunks.ts'
import { QUEUE_NAME } from '../redis/keys.ts'
import type { ProjectKeys } from '../redis/keys.ts'

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
  return {
    next: async () => {
      const job: ChunkJob | undefined = await worker.getNextJob(token, { block: false })
      const { id } = job ?? {}
      if (job === undefined || id === undefined) return null
      held.set(id, job)
      const chunk = readChunk(job.data)
      if (chunk === null) {
        await leave(id, () => job.moveToFailed(new Error('the job holds no chunk of callspec'), token, false))
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
