import { RunError } from '@callspec/eval/worker-parts'
import { openQueue } from './collect/jobs.ts'
import { chunkName } from './chunks.ts'
import type { QueueAddress } from './redis/address.ts'
import { asForeign, connect } from './redis/connect.ts'
import type { Connection } from './redis/connect.ts'
import { projectKeys, runKeys } from './redis/keys.ts'
import { removeRun } from './redis/remove.ts'
import { seenWorkers } from './work/heartbeat.ts'
import type { SeenWorker } from './work/heartbeat.ts'

/** What a queue is doing. */
export interface QueueStatus {
  /** Null where there is no run. */
  readonly run: RunStatus | null
  readonly workers: readonly SeenWorker[]
}

/** What is known of the run of a queue. */
export interface RunStatus {
  readonly run: string
  readonly state: 'open' | 'paused' | 'cancelled'
  /** Episodes of the plan, and how many are stored to their end. */
  readonly episodes: number
  readonly ended: number
  /** Rows that workers have stored, and replies that were dropped because there was one already. */
  readonly rows: number
  readonly dropped: number
  /** Requests that were made again, because whoever was asking was not heard of any more. */
  readonly askedTwice: number
  /** How often episodes were enqueued: 1 where nothing was lost. */
  readonly rounds: number
  readonly chunks: { readonly waiting: number; readonly active: number; readonly failed: number }
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  /** What waits for the collector: entries and bytes. */
  readonly waiting: { readonly entries: number; readonly bytes: number; readonly bound: number }
  readonly isCollected: boolean
}

/** Reads what a queue is doing. @throws RunError when Redis cannot be used */
export async function queueStatus(address: QueueAddress): Promise<QueueStatus> {
  return withQueue(address, statusOf)
}

/** The same over a connection that is there. */
export async function statusOf({ redis }: Connection, { prefix }: QueueAddress): Promise<QueueStatus> {
  const project = projectKeys(prefix)
  const run = await redis.get(project.run)
  const workers = await seenWorkers(redis, project.workers)
  if (run === null) return { run: null, workers }
  const keys = runKeys(prefix, run)
  const queue = openQueue(redis, project)
  try {
    const meta = await redis.hgetall(keys.meta)
    const count = (name: string): number => Number(meta[name] ?? 0)
    const counts = await queue.getJobCounts('wait', 'active', 'failed')
    const isPaused = await queue.isPaused()
    const jobs = await queue.getFailed(0, 9)
    const state = meta['state'] === 'cancelled' ? 'cancelled' : isPaused ? 'paused' : 'open'
    return {
      run: {
        ...{ run, state, episodes: count('of'), ended: count('ended'), rows: count('rows'), dropped: count('dropped') },
        askedTwice: count('again'),
        rounds: count('round'),
        chunks: {
          waiting: counts['wait'] ?? 0,
          active: counts['active'] ?? 0,
          failed: counts['failed'] ?? 0,
        },
        failed: jobs.map(({ id = '', failedReason }) => ({ name: chunkName(id), reason: failedReason.slice(0, 300) })),
        waiting: {
          entries: await redis.xlen(keys.rows),
          bytes: (await redis.memory('USAGE', keys.rows)) ?? 0,
          bound: count('bound'),
        },
        isCollected: (await redis.exists(keys.collector)) === 1,
      },
      workers,
    }
  } finally {
    await queue.close()
  }
}

/** Lets workers take no further chunks, or take them again. @throws RunError where there is no run */
export async function setPaused(address: QueueAddress, isPaused: boolean): Promise<QueueStatus> {
  return withQueue(address, async (connection) => {
    await runOf(connection, address)
    const queue = openQueue(connection.redis, projectKeys(address.prefix))
    await (isPaused ? queue.pause() : queue.resume())
    await queue.close()
    return statusOf(connection, address)
  })
}

/**
 * Ends the run of a queue: workers begin and store nothing more of it. Its folder keeps what was collected and can go on.
 *
 * @returns the name of the run
 * @throws RunError where there is none
 */
export async function cancelRun(address: QueueAddress): Promise<string> {
  return withQueue(address, async (connection) => {
    const { redis } = connection
    const [project, run] = [projectKeys(address.prefix), await runOf(connection, address)]
    const keys = runKeys(address.prefix, run)
    await redis.hset(keys.meta, 'state', 'cancelled')
    const queue = openQueue(redis, project)
    await queue.resume()
    await queue.obliterate({ force: true })
    await queue.close()
    // A collector that is there takes the run away when it has seen that.
    if ((await redis.exists(keys.collector)) === 0)
      await removeRun(redis, { project, keys, run, begun: await begunOf(connection, address, run) })
    return run
  })
}

/** Episodes of which Redis has rows or a claim. The keys say it: what `meta` says of their number may be forged. */
async function begunOf({ redis }: Connection, { prefix }: QueueAddress, run: string): Promise<readonly number[]> {
  const own = runKeys(prefix, run).episode(0).slice(0, -2)
  const pattern = `${own.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}[ec][0-9]*`
  const begun = new Set<number>()
  let cursor = '0'
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1000)
    for (const key of found) begun.add(Number(key.slice(own.length + 1)))
    cursor = next
  } while (cursor !== '0')
  return [...begun].filter(Number.isSafeInteger)
}

async function runOf({ redis }: Connection, { prefix }: QueueAddress): Promise<string> {
  const run = await redis.get(projectKeys(prefix).run)
  if (run !== null) return run
  throw new RunError(`the queue ${prefix} has no run. Is it the right --queue and --queue-prefix?`)
}

async function withQueue<T>(
  address: QueueAddress,
  act: (connection: Connection, address: QueueAddress) => Promise<T>,
): Promise<T> {
  const connection = await connect(address)
  try {
    return await act(connection, address)
  } catch (error) {
    throw asForeign(error, address)
  } finally {
    connection.close()
  }
}
