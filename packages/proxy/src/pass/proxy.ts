import { createServer, Agent as HttpAgent } from 'node:http'
import type { Server } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { BeginTrack } from '../track.ts'
import { forward } from './forward.ts'
import type { Target } from './forward.ts'

/** How a proxy is started. */
export interface ProxyOptions {
  readonly target: Target
  /** 0 for any free one. */
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Is asked for every request. Default: nothing is recorded. */
  readonly begin?: BeginTrack
  /** How long the server may say nothing, in milliseconds. Default: as long as it likes. */
  readonly timeoutMs?: number | null
}

/** A running proxy. */
export interface Proxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Takes no more requests, gives those under way so many milliseconds, and ends. */
  close(graceMs: number): Promise<void>
}

/** Servers close a connection that nobody uses after 5 seconds; a request that is sent into one of these is lost. */
const IDLE_MS = 4000
/** Bytes that wait for a client before its server has to: two reads of a connection. With less every read makes it stop and go. */
const MOST_UNREAD = 131_072

/**
 * Starts the proxy.
 *
 * @throws the system's error where the port is taken
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { target, port, host = '127.0.0.1', begin = () => null, timeoutMs = null } = options
  const kept = { keepAlive: true, timeout: IDLE_MS }
  const agent = target.isTls ? new HttpsAgent(kept) : new HttpAgent(kept)
  let bound = host
  // A body may take as long to come as its client likes.
  const server = createServer({ requestTimeout: 0, highWaterMark: MOST_UNREAD }, (client, reply) =>
    forward(client, reply, { target, agent, begin, timeoutMs, address: bound }),
  )
  server.on('connect', (_, socket) => refuseTunnel(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: own, address, family } = server.address() as AddressInfo
  bound = address
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${own}`,
    close: async (graceMs) => {
      await closed(server, graceMs)
      // That a client was cut off is told of behind the next turn of the loop; what happens upstream follows from it.
      for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      agent.destroy()
    },
  }
}

/** For clients that take it for a proxy of another kind. */
function refuseTunnel(socket: Duplex): void {
  const body = 'callspec proxy: it makes no tunnels (CONNECT). Give its address as the base URL.\n'
  socket.on('error', () => undefined)
  socket.end(
    `HTTP/1.1 501 Not Implemented\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

async function closed(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeIdleConnections()
  })
  clearTimeout(timer)
}
