import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** What a server answers at a path: text as it is, anything else as JSON; a function sees the request's body. */
export type Answer = { readonly status?: number; readonly body: unknown }

/** A server that answers by path, 404 with HTML elsewhere, until the test is over. */
export function answering(doors: Readonly<Record<string, Answer | ((body: string) => Answer)>>): Promise<string> {
  return listening((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const door = doors[request.url ?? ''] ?? { status: 404, body: '<html>Not here.</html>' }
      const { status = 200, body } = typeof door === 'function' ? door(Buffer.concat(chunks).toString()) : door
      response.writeHead(status)
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
}

/** A server with the given answers, until the test is over. */
export async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}
