import { RunError } from '@callspec/eval/worker-parts'
import { openQueue, chunkName } from './jobs.ts'
import type { QueueAddress, Connection } from './redis/connect.ts'
import { asForeign, connect } from './redis/connect.ts'
import { projectKeys, runKeys } from './redis/keys.ts'
import { removeRun } from './redis/collector.ts'
import type { SeenWorker } from './redis/reports.ts'
import { seenWorkers } from './redis/reports.ts'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localRequestFault } from '@callspec/eval/local-request'

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

/** A server of `/metrics`. */
export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/** What every line is: a name, its kind, what it says, and its values with their labels. */
interface Family {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly (readonly [labels: string, value: number])[]
}

/** The state of a queue in the text of OpenMetrics 1.0. */
export function openMetricsText({ run, workers }: QueueStatus): string {
  const there = workers.filter(({ left }) => left === null)
  const of = (value: number | undefined): Family['samples'] => (value === undefined ? [] : [['', value]])
  const each = (read: (worker: (typeof there)[number]) => number): Family['samples'] =>
    there.map((worker) => [`{worker="${escaped(worker.id)}",host="${escaped(worker.host)}"}`, read(worker)])
  const families: readonly Family[] = [
    { name: 'callspec_episodes', type: 'gauge', help: 'Episodes of the plan.', samples: of(run?.episodes) },
    {
      name: 'callspec_episodes_stored',
      type: 'gauge',
      help: 'Episodes that are stored to their end.',
      samples: of(run?.ended),
    },
    { name: 'callspec_rows_stored', type: 'counter', help: 'Rows that workers have stored.', samples: of(run?.rows) },
    {
      name: 'callspec_replies_dropped',
      type: 'counter',
      help: 'Replies that came when there was one.',
      samples: of(run?.dropped),
    },
    {
      name: 'callspec_requests_repeated',
      type: 'counter',
      help: 'Requests that were made again, as their worker was gone.',
      samples: of(run?.askedTwice),
    },
    { name: 'callspec_chunks_waiting', type: 'gauge', help: 'Chunks that wait.', samples: of(run?.chunks.waiting) },
    { name: 'callspec_chunks_active', type: 'gauge', help: 'Chunks that are played.', samples: of(run?.chunks.active) },
    { name: 'callspec_chunks_failed', type: 'gauge', help: 'Chunks that failed.', samples: of(run?.chunks.failed) },
    {
      name: 'callspec_rows_waiting',
      type: 'gauge',
      help: 'Entries that wait for the collector.',
      samples: of(run?.waiting.entries),
    },
    {
      name: 'callspec_rows_waiting_bytes',
      type: 'gauge',
      help: 'Bytes that wait for the collector.',
      samples: of(run?.waiting.bytes),
    },
    { name: 'callspec_workers', type: 'gauge', help: 'Workers that are there.', samples: of(there.length) },
    {
      name: 'callspec_worker_busy',
      type: 'gauge',
      help: 'Episodes that a worker plays.',
      samples: each(({ busy }) => busy),
    },
    {
      name: 'callspec_worker_requests',
      type: 'counter',
      help: 'Requests of a worker.',
      samples: each(({ asked }) => asked),
    },
  ]
  return `${families.map(familyText).join('')}# EOF\n`
}

function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => `${name}${type === 'counter' ? '_total' : ''}${labels} ${value}\n`)
  return `# TYPE ${name} ${type}\n# HELP ${name} ${help}\n${lines.join('')}`
}

function escaped(label: string): string {
  return label
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}

/**
 * Serves the state of a queue.
 *
 * @throws RunError when Redis cannot be used, or the port is taken
 */
export async function serveMetrics(
  address: QueueAddress,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const connection = await connect(address)
  let bound = host
  const server = createServer((request, response) => {
    const { method = '', headers } = request
    const fault = localRequestFault({ method, host: headers.host, origin: headers.origin }, bound)
    if (fault !== null) {
      response.writeHead(fault.status, { connection: 'close' }).end(`callspec metrics: ${fault.reason}\n`)
      return
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end('There is only /metrics.\n')
      return
    }
    statusOf(connection, address).then(
      (status) => {
        response.writeHead(200, { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' })
        response.end(openMetricsText(status))
      },
      () => response.writeHead(503).end('Redis does not answer.\n'),
    )
  })
  try {
    await listening(server, { port, host })
  } catch (error) {
    connection.close()
    throw new RunError(
      `metrics cannot be served at ${host}:${port} (${error instanceof Error ? error.message : String(error)}). Take another --metrics-port.`,
    )
  }
  const { port: own, address: listensOn } = server.address() as AddressInfo
  bound = listensOn
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${own}/metrics`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      connection.close()
    },
  }
}

function listening(server: Server, where: { readonly port: number; readonly host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => resolve())
  })
}
