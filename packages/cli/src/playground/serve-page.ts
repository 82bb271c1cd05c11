import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localRequestFault } from '@callspec/eval/local-request'

const LISTENS_ON = '127.0.0.1'

/** A page that is served. */
export interface PageServer {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * Serves one page on 127.0.0.1, and nothing else.
 *
 * @param port 0 for any free one
 * @throws the system's error if the port is in use
 */
export async function servePage(html: string, port: number): Promise<PageServer> {
  const body = Buffer.from(html)
  const server = createServer((request, response) => {
    const { method = '', headers } = request
    const fault = localRequestFault({ method, host: headers.host, origin: headers.origin }, LISTENS_ON)
    if (fault !== null) {
      response.writeHead(fault.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end(`callspec playground: ${fault.reason}\n`)
      return
    }
    const isRead = method === 'GET' || method === 'HEAD'
    const isPage = isRead && request.url?.split('?')[0] === '/'
    const answer = isPage ? body : Buffer.from(isRead ? 'There is one page here: /\n' : 'This page is only read.\n')
    response.writeHead(isPage ? 200 : isRead ? 404 : 405, {
      'content-type': isPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
      'content-length': answer.length,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(isRead ? {} : { allow: 'GET, HEAD' }),
    })
    response.end(method === 'HEAD' ? undefined : answer)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LISTENS_ON, resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
