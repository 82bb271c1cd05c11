import { Agent, createServer, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is asked for: so many streams, so many at a time, each of so many chunks of so many bytes. */
export interface Load {
  readonly requests: number
  readonly atATime: number
  readonly chunks: number
  readonly bytes: number
}

/** Listens on 127.0.0.1, and gives the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A server that streams `chunks` events of `bytes` each, one a turn of its loop, as models do token by token. */
export function createStreamer({ chunks, bytes }: Load): Server {
  const event = `data: ${'x'.repeat(bytes - 8)}\n\n`
  // Passers are asked in turns, and a bare pipe does not bear a connection that was closed in between.
  return createServer({ keepAliveTimeout: 600_000 }, (client, reply) => {
    client.resume()
    client.on('end', () => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      let left = chunks
      const step = (): void => {
        if (left === 0) return void reply.end()
        left -= 1
        if (reply.write(event)) setImmediate(step)
        else reply.once('drain', step)
      }
      step()
    })
  })
}

const BODY = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello.' }] })
const HEADERS = {
  'content-type': 'application/json',
  'content-length': BODY.length,
  authorization: 'Bearer sk-0123456789abcdef0123456789abcdef',
}

/** Makes the requests of a load, and gives the bytes that came. */
export async function ask(port: number, { requests, atATime }: Load): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let [left, bytes] = [requests, 0]
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const came = await askOnce(port, agent)
      bytes += came
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker))
  agent.destroy()
  return bytes
}

function askOnce(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const where = { port, agent, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers: HEADERS }
    const sent = request(where, (response: IncomingMessage) => {
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.length))
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(BODY)
  })
}
