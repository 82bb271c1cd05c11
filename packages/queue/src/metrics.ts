import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localRequestFault } from '@callspec/eval/local-request'
import { RunError } from '@callspec/eval/worker-parts'
import { statusOf } from './control.ts'
import type { QueueStatus } from './control.ts'
import type { QueueAddress } from './redis/address.ts'
import { connect } from './redis/connect.ts'

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
