import { createServer } from 'node:http'
import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server for one test; gives its base URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/**
 * Writes `text` again and again until the client has closed the connection. A write after a reset fails at once, and on
 * Node 26 the response is not `destroyed` then: a loop that ignores the error would never end.
 */
export function writeWithoutEnd(response: ServerResponse, text: string | Buffer): void {
  response.write(text, (error) => {
    if (error === null || error === undefined) writeWithoutEnd(response, text)
  })
}
