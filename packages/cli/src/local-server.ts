import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The address that pages are served on: this machine alone. */
export const LISTENS_ON = '127.0.0.1'

/** A server of pages. */
export interface LocalServer {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * Lets a server listen on 127.0.0.1.
 *
 * @param port 0 for any free port
 * @throws the system's error if the port is in use
 */
export async function listenLocally(server: Server, port: number): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LISTENS_ON, resolve)
  })
  return {
    url: `http://${LISTENS_ON}:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
