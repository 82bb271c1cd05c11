import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { chunkJobs, chunkName, chunkSize, readChunk } from '../chunks.ts'
import type { Chunk, ChunkJob } from '../chunks.ts'
import { QUEUE_NAME } from '../redis/keys.ts'
import type { ProjectKeys, RunKeys } from '../redis/keys.ts'

/** A chunk that a worker could not play, and why. */
export interface FailedChunk {
  readonly name: string
  readonly reason: string
  readonly episodes: readonly number[]
}

/** The jobs of a run. */
export interface Jobs {
  /** Enqueues chunks of these episodes; not one of them is an id that was there before. */
  enqueue(episodes: Iterable<number>): Promise<void>
  /** How many chunks wait or are being played. */
  pending(): Promise<number>
  /** How many are being played. */
  active(): Promise<number>
  failed(): Promise<readonly FailedChunk[]>
  /** Takes away everything. */
  remove(): Promise<void>
  close(): Promise<void>
}

/** So many jobs are sent to Redis at once. */
const BATCH = 500

/** The queue of a project, used for one run. */
export function openJobs(
  redis: Redis,
  {
    project,
    keys,
    run,
    size: of,
  }: { readonly project: ProjectKeys; readonly keys: RunKeys; readonly run: string; readonly size: number },
): Jobs {
  const queue = openQueue(redis, project)
  const size = chunkSize(of)
  return {
    enqueue: async (episodes) => {
      const round = await redis.hincrby(keys.meta, 'round', 1)
      let held: ChunkJob[] = []
      const send = async (): Promise<void> => {
        if (held.length > 0) await queue.addBulk(held)
        held = []
      }
      for (const job of chunkJobs(episodes, { run, size, round })) {
        held.push(job)
        if (held.length >= BATCH) await send()
      }
      await send()
    },
    pending: async () => {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized')
      return Object.values(counts).reduce((sum, count) => sum + count, 0)
    },
    active: () => queue.getActiveCount(),
    failed: async () => {
      const jobs = await queue.getFailed(0, 99)
      return jobs.flatMap(({ id = '', data, failedReason }) => {
        const chunk = readChunk(data)
        if (chunk?.run !== run) return []
        return [{ name: chunkName(id), reason: failedReason.slice(0, 300), episodes: chunk.episodes }]
      })
    },
    remove: () => queue.obliterate({ force: true }),
    close: () => queue.close(),
  }
}

/** BullMQ's queue of a project. */
export function openQueue(redis: Redis, project: ProjectKeys): Queue<Chunk> {
  const queue = new Queue<Chunk>(QUEUE_NAME, {
    ...{ connection: redis, prefix: project.jobs },
    // Version and eviction policy have been looked at, and BullMQ would print what it thinks of them.
    skipVersionCheck: true,
  })
  // Whoever asks for something is told.
  queue.on('error', () => {})
  return queue
}
