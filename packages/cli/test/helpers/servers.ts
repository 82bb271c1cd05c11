import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'

/** A small server on 127.0.0.1. */
export interface TestServer {
  readonly url: string
  close(): Promise<void>
}

/** A gateway that hands questions on to an upstream, and reads calls out of its answers, or does not. */
export function gateway(upstreamPort: number, { readsCalls }: { readonly readsCalls: boolean }): Promise<TestServer> {
  return serve('gateway', async () => {
    const asked = { messages: [{ role: 'user', content: 'Time?' }] }
    const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(asked),
    })
    const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] }
    const text = choices[0].message.content
    return readsCalls ? messageOf(text) : { content: text }
  })
}

/**
 * A port without a listener, which no server is given: one that was free a moment ago may be that of the next server, which then gets
 * the requests of a client that goes on asking. Fetch itself refuses port 1.
 */
export const CLOSED_PORT = 2

/** An engine of which nothing can be seen. */
export function closedEngine(): Promise<TestServer> {
  return serve('engine', () => Promise.resolve({ content: 'Hello.' }))
}

/** A port for a server that starts later. For a client that finds none there is `CLOSED_PORT`. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await closed(server)
  return port
}

async function serve(model: string, answer: () => Promise<object>): Promise<TestServer> {
  const server = createServer((request, response) => {
    const send = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    const work = async (): Promise<void> => {
      await drained(request)
      if (request.url === '/v1/models') send(200, { data: [{ id: model }] })
      else if (request.url === '/v1/chat/completions') send(200, { choices: [{ message: await answer() }] })
      else send(404, { error: 'not found' })
    }
    work().catch((error: unknown) => send(500, { error: { message: String(error) } }))
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/v1`, close: () => closed(server) }
}

function messageOf(text: string): object {
  const calls = [...text.matchAll(/<tool_call>([^]*?)<\/tool_call>/g)].map(([, body = '']) => {
    const { name, arguments: given } = JSON.parse(body) as { name: string; arguments: object }
    return { function: { name, arguments: JSON.stringify(given) } }
  })
  return { content: text.replace(/<tool_call>[^]*<\/tool_call>/, ''), tool_calls: calls }
}

async function drained(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

function listen(server: Server): Promise<number> {
  return new Promise((settle) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      settle(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((settle) => {
    server.close(() => settle())
    server.closeAllConnections()
  })
}
