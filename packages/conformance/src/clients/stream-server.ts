import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '@callspec/apis'

/** A stream that is ready to be sent, once or more often. */
export interface ServedStream {
  readonly api: Api
  /** What is sent in one write each. */
  readonly pieces: readonly Buffer[]
  readonly isReset: boolean
}

/** The requests that came for one stream. */
export interface StreamRequests {
  /** How many were answered with the stream. */
  readonly served: number
  /** Why others were refused, one text each, at most a few. */
  readonly refused: readonly string[]
}

/** Answers the requests of clients with streams that were made before. */
export interface StreamServer {
  /** Offers a stream. @returns the base URL of a client, which ends with `/v1` */
  offer(stream: ServedStream): { readonly url: string; withdraw(): StreamRequests }
  close(): Promise<void>
}

const PATHS: Readonly<Record<Api, string>> = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
}

/** So much of a request is read at most: clients ask the same short question. */
const MOST_BODY_BYTES = 1_000_000

const MOST_REFUSED = 3

interface Offer {
  readonly stream: ServedStream
  served: number
  readonly refused: string[]
}

/** Listens on a free port of 127.0.0.1. Each stream has a path of its own, so that a late request cannot meet another. */
export async function startStreamServer(): Promise<StreamServer> {
  const offers = new Map<string, Offer>()
  let last = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').replace(/\?.*$/s, '')
    const [, token = '', rest = ''] = /^\/(\d+)(\/.*)$/s.exec(path) ?? []
    const offer = offers.get(token)
    const body = await bodyOf(request)
    const reason = refusal({ offer, method: request.method ?? '', path: rest, body })
    if (offer === undefined || reason !== null) {
      if (offer !== undefined && offer.refused.length < MOST_REFUSED) offer.refused.push(reason ?? '')
      const type = 'invalid_request_error'
      response.writeHead(reason === GONE ? 404 : 400, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ type: 'error', error: { type, message: `callspec: ${reason ?? GONE}`, code: null } }),
      )
      return
    }
    offer.served += 1
    await send(offer.stream, response)
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    answer(request, response).catch(() => response.destroy())
  })
  const port = await listen(server)
  return {
    offer: (stream) => {
      last += 1
      const [token, offer] = [String(last), { stream, served: 0, refused: [] }]
      offers.set(token, offer)
      return {
        url: `http://127.0.0.1:${port}/${token}/v1`,
        withdraw: () => {
          offers.delete(token)
          return offer
        },
      }
    },
    close: () =>
      new Promise((settle) => {
        server.close(() => settle())
        server.closeAllConnections()
      }),
  }
}

const GONE = 'no stream is offered here'

interface AskedStream {
  readonly offer: Offer | undefined
  readonly method: string
  readonly path: string
  readonly body: string | null
}

/** Why a request is not answered with the stream; null if it is. */
function refusal({ offer, method, path, body }: AskedStream): string | null {
  if (offer === undefined) return GONE
  const wanted = PATHS[offer.stream.api]
  if (!path.endsWith(wanted)) return `${method} ${path.slice(0, 80)} was requested, not POST …${wanted}`
  if (method !== 'POST') return `${method.slice(0, 20)} was sent, not POST`
  if (body === null) return `the request is larger than ${MOST_BODY_BYTES} bytes`
  return /"stream"\s*:\s*true/.test(body) ? null : 'the request does not ask for a stream ("stream": true)'
}

/** The text of a body; null where it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    const bytes = part as Buffer
    length += bytes.length
    if (length <= MOST_BODY_BYTES) parts.push(bytes)
  }
  return length > MOST_BODY_BYTES ? null : Buffer.concat(parts).toString()
}

async function send({ pieces, isReset }: ServedStream, response: ServerResponse): Promise<void> {
  response.socket?.setNoDelay(true)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  // A few large writes stay apart only with time between them; events may join, as they do from any server.
  const isCut = pieces.length > 1 && pieces.length <= FEW_PIECES
  for (const piece of pieces) {
    response.write(piece)
    await (isCut ? sleep(1) : new Promise((settle) => setImmediate(settle)))
  }
  if (!isReset) {
    response.end()
    return
  }
  // What was sent must arrive before the reset takes it away.
  await sleep(10)
  response.socket?.resetAndDestroy()
}

const FEW_PIECES = 24

function listen(server: Server): Promise<number> {
  return new Promise((settle, fail) => {
    server.once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      settle(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
