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
  /** Enqueues chunks of these episodes; not one of them is an id that was there before. @throws where Redis is full: `send` goes on */
  enqueue(episodes: Iterable<number>): Promise<void>
  /** Sends the chunks that Redis had no room for. @throws where it still has none */
  send(): Promise<void>
  /** How many chunks wait or are being played. */
  pending(): Promise<number>
  /** How many are being played. */
  active(): Promise<number>
  failed(): Promise<readonly FailedChunk[]>
  /** Jobs that were set aside because their data was broken: their names. */
  broken(): Promise<readonly string[]>
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
  const unsent: ChunkJob[] = []
  const send = async (): Promise<void> => {
    while (unsent.length > 0) {
      const batch = unsent.slice(0, BATCH)
      // Ids that Redis has already are passed over.
      await queue.addBulk(batch)
      unsent.splice(0, batch.length)
    }
  }
  return {
    enqueue: async (episodes) => {
      const round = await redis.hincrby(keys.meta, 'round', 1)
      for (const job of chunkJobs(episodes, { run, size, round })) unsent.push(job)
      await send()
    },
    send,
    pending: async () => {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized')
      return Object.values(counts).reduce((sum, count) => sum + count, unsent.length)
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
    broken: async () => {
      const jobs = (await queue.getFailedCount()) === 0 ? [] : await queue.getFailed(0, 99)
      return jobs.filter(({ data }) => readChunk(data) === null).map(({ id = '' }) => chunkName(id))
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
