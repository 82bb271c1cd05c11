import { request as httpRequest } from 'node:http'
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { localRequestFault } from '@callspec/eval/local-request'
import type { BeginTrack, Ending, Track } from '../track.ts'
import { replyHeaders, requestHeaders } from './headers.ts'
import { passBody } from './pass-body.ts'
import type { Target } from './target.ts'

/** What passing an exchange on takes. */
export interface ForwardOptions {
  readonly target: Target
  readonly agent: Agent
  readonly begin: BeginTrack
  /** How long the server may say nothing, in milliseconds; null for as long as it likes. */
  readonly timeoutMs: number | null
  /** That the proxy listens on. */
  readonly address: string
}

/**
 * Passes one request on, and its reply back, bytes as they come: nothing is held longer than the slower side takes, and
 * whoever breaks off breaks off for the other side as well.
 */
export function forward(client: IncomingMessage, reply: ServerResponse, options: ForwardOptions): void {
  const { target, agent, begin, timeoutMs, address } = options
  const { method = 'GET', url = '', rawHeaders } = client
  const { host, origin } = client.headers
  // The server sees its own name as Host, so that only the proxy can know a page whose name was made to resolve to this machine.
  const fault = localRequestFault({ method, host, origin }, address)
  if (fault !== null) return refuse(reply, fault.status, fault.reason)
  // `GET http://elsewhere/` would make an open proxy of it.
  if (!url.startsWith('/')) return refuse(reply, 400, 'the request names no path. This proxy has one server alone.')
  if (client.headers.upgrade?.toLowerCase() === 'websocket')
    return refuse(reply, 501, 'WebSockets are not passed on. Use the HTTP interface.')
  const track = begin({ method, url, headers: rawHeaders })
  const send = target.isTls ? httpsRequest : httpRequest
  const upstream = send({
    ...{ method, agent, path: `${target.prefix}${url}`, hostname: target.hostname, port: target.port },
    // Node's types know objects alone; lists keep order and spelling.
    headers: requestHeaders(rawHeaders, target.host) as unknown as Readonly<Record<string, string>>,
  })
  const exchange: Exchange = { client, reply, upstream, track, host: target.host, isOver: false }
  watch(exchange, timeoutMs)
  client.pipe(upstream)
  if (track === null) return
  client.on('data', (bytes: Uint8Array) => track.requestBytes(bytes))
  client.on('end', () => track.requestEnd())
}

interface Exchange {
  readonly client: IncomingMessage
  readonly reply: ServerResponse
  readonly upstream: ClientRequest
  readonly track: Track | null
  readonly host: string
  isOver: boolean
}

function watch(exchange: Exchange, timeoutMs: number | null): void {
  const { client, reply, upstream, host } = exchange
  upstream.on('response', (response) => passBack(response, exchange))
  upstream.on('error', (error) => {
    if (!reply.headersSent) refuse(reply, 502, `${host} ${reasonOf(error)}`)
    else breakOff(reply)
    over(exchange, 'no-upstream')
  })
  if (timeoutMs !== null)
    upstream.setTimeout(timeoutMs, () => {
      over(exchange, 'timeout')
      if (reply.headersSent) breakOff(reply)
      else refuse(reply, 504, `${host} said nothing for ${timeoutMs} ms`)
      upstream.destroy()
    })
  const gone = (): void => {
    over(exchange, 'client-gone')
    upstream.destroy()
  }
  client.on('error', gone)
  reply.on('error', gone)
  reply.on('close', () => {
    if (reply.writableFinished) over(exchange, 'complete')
    else gone()
  })
}

function passBack(response: IncomingMessage, exchange: Exchange): void {
  const { reply, track } = exchange
  const { statusCode = 502, statusMessage = '', rawHeaders } = response
  track?.head(statusCode, rawHeaders)
  if (reply.destroyed) return
  reply.sendDate = false
  reply.writeHead(statusCode, statusMessage, replyHeaders(rawHeaders))
  // Where the length is known the body is on its way; a stream may say nothing for long.
  if (response.headers['content-length'] === undefined) reply.flushHeaders()
  const body = passBody(response, reply, (bytes) => track?.replyBytes(bytes))
  response.on('error', () => undefined)
  response.on('close', () => {
    if (response.complete) return
    body.flush()
    over(exchange, 'upstream-gone')
    breakOff(reply)
  })
}

/** Only the first thing that ends an exchange is its end. */
function over(exchange: Exchange, how: Ending): void {
  if (exchange.isOver) return
  exchange.isOver = true
  exchange.track?.end(how)
}

/** Ends the connection of a reply that is not complete, behind all that was written: the client is to see that it broke off. */
function breakOff(reply: ServerResponse): void {
  reply.socket?.destroySoon()
}

/** Answers in place of the server, in the form in which OpenAI tells of errors. */
export function refuse(reply: ServerResponse, status: number, message: string): void {
  if (reply.headersSent || reply.destroyed) return
  const body = JSON.stringify({ error: { message: `callspec proxy: ${message}`, type: 'proxy_error', code: status } })
  reply.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  reply.end(body)
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.message
  return code === 'ECONNREFUSED' ? 'refused the connection. Is the server running?' : `cannot be asked (${code})`
}
