import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A way to a port that can be cut. */
export interface Proxy {
  readonly port: number
  /** Breaks every connection. */
  cut(): void
  /** Lets nothing through, without a word, until `heal`. */
  silence(): void
  heal(): void
  close(): Promise<void>
}

/** Starts a TCP proxy to a port of this machine. */
export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (data) => {
        if (!isSilent) to.write(data)
      })
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    silence: () => {
      isSilent = true
    },
    // What was swallowed never comes: a connection that lost something is of no use.
    heal: () => {
      cut()
      isSilent = false
    },
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
