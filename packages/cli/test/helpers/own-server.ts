import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { namesIn } from './folder.ts'

/** A server of one test's own; its address is what `--base-url` takes. */
export async function serve(
  listener: (request: IncomingMessage, response: ServerResponse, server: Server) => unknown,
): Promise<string> {
  const server: Server = createServer((request, response) => void listener(request, response, server))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** The same for a server that answers only what is asked of its model: what it is built from is no question. */
export function serveModel(
  listener: (request: IncomingMessage, response: ServerResponse, server: Server) => unknown,
): Promise<string> {
  return serve((request, response, server) =>
    request.method === 'GET' ? response.writeHead(404).end() : listener(request, response, server),
  )
}

/** A reply of an OpenAI-compatible server. */
export function completion(content: string): string {
  return JSON.stringify({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2 },
  })
}

/** The first run folder below a folder. */
export function runIn(folder: string): string {
  return join(folder, 'reports', namesIn(join(folder, 'reports'))[0] ?? '')
}
