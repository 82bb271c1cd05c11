import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { messageOf } from './arguments.ts'
import type { Snapshot } from './binding.ts'
import { BadRequest, readRequest } from './chat-request.ts'
import type { ChatRequest } from './chat-request.ts'
import type { Engine } from './engine.ts'
import { chatReply, deltasOf, takesBack, textReply, usageOf } from './openai-reply.ts'
import type { ReplyHead } from './openai-reply.ts'

export interface DoorOptions {
  readonly engine: Engine
  readonly name: string
  /** Of llama.cpp. */
  readonly version: string
}

/**
 * A server with the paths of a llama-server in front of an engine in this process: chat and text completions, whole and
 * streamed, /apply-template, /tokenize, /props. Rendering, sampling and reading stay llama.cpp's.
 */
export function createDoor(options: DoorOptions): Server {
  let count = 0
  const nextId = (): string => `call_${(count += 1)}`
  return createServer((request, response) => {
    answer(request, response, { ...options, nextId }).catch((error: unknown) => refuse(response, error))
  })
}

interface Door extends DoorOptions {
  readonly nextId: () => string
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const body = readRequest(await textOf(request))
  const { engine, name, version } = door
  const path = (request.url ?? '').replace(/\?.*/s, '')
  switch (path) {
    case '/health':
      return json(response, 200, { status: 'ok' })
    case '/v1/models':
      return json(response, 200, { object: 'list', data: [{ id: name, object: 'model' }] })
    case '/props':
      return json(response, 200, { build_info: version, chat_template: engine.template, model_path: name })
    case '/apply-template':
      return json(response, 200, { prompt: engine.promptOf(body) })
    case '/tokenize':
      return json(response, 200, { tokens: await engine.tokenize(contentOf(body, engine)) })
    case '/v1/chat/completions':
    case '/v1/completions':
      return complete({ body, response, isChat: path === '/v1/chat/completions' }, door)
    default:
      return json(response, 404, { error: { message: `There is no ${path} here.`, type: 'not_found_error' } })
  }
}

function contentOf(body: ChatRequest, engine: Engine): string {
  return typeof body.content === 'string' ? body.content : engine.promptOf(body)
}

interface Exchange {
  readonly body: ChatRequest
  readonly response: ServerResponse
  readonly isChat: boolean
}

async function complete(exchange: Exchange, door: Door): Promise<void> {
  const { body, response, isChat } = exchange
  if (isChat && !Array.isArray(body.messages)) throw new BadRequest('there are no "messages"')
  const head = { id: door.nextId().replace('call', 'chatcmpl'), created: 0, model: door.name }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  if (body.stream === true) return stream(exchange, { door, head, signal: gone.signal })
  const done = await door.engine.complete(withoutPrompt(exchange), { signal: gone.signal })
  return json(response, 200, isChat ? chatReply(head, done, door) : textReply(head, done))
}

function withoutPrompt({ body, isChat }: Exchange): ChatRequest {
  if (!isChat) return body
  const { prompt: _, ...rest } = body
  return rest
}

async function stream(
  exchange: Exchange,
  { door, head, signal }: { readonly door: Door; readonly head: ReplyHead; readonly signal: AbortSignal },
): Promise<void> {
  const { body, response, isChat } = exchange
  const { nextId, engine } = door
  const object = isChat ? 'chat.completion.chunk' : 'text_completion'
  const send = (event: object): void => {
    if (!response.headersSent) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      // A llama-server begins its chat streams so. An error before the first event is a status.
      if (isChat) send({ choices: [{ index: 0, finish_reason: null, delta: { role: 'assistant', content: null } }] })
    }
    response.write(`data: ${JSON.stringify({ ...head, object, ...event })}\n\n`)
  }
  const deltaOf = deltasOf(nextId)
  let before: Snapshot = {}
  let takenBack = 0
  const step = (snapshot: Snapshot): void => {
    takenBack += takesBack(before, snapshot) ? 1 : 0
    before = snapshot
    const delta = deltaOf(snapshot)
    if (delta !== null) send({ choices: [{ index: 0, finish_reason: null, delta }] })
  }
  const onToken = isChat
    ? step
    : ({ token }: { readonly token: string }): void =>
        send({ choices: [{ index: 0, finish_reason: null, text: token }] })
  const done = await engine.complete(withoutPrompt(exchange), { signal, onToken })
  if (isChat) step(done.result)
  const end = { index: 0, finish_reason: done.finish, ...(isChat ? { delta: {} } : { text: '' }) }
  // The reading is the engine's, the deltas are this door's work: at the end it says what the engine read, and how often in
  // between it had read what it did not read afterwards.
  const { content, reasoning_content, tool_calls } = done.result
  const snapshot = { content, reasoning_content, tool_calls }
  send({ choices: [end], __verbose: { content: done.result.text, snapshot, taken_back: takenBack } })
  if (body.stream_options?.include_usage === true) send({ choices: [], usage: usageOf(done) })
  response.end('data: [DONE]\n\n')
}

const MOST_BYTES = 32 * 1024 * 1024

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request) {
    size += (piece as Buffer).length
    if (size > MOST_BYTES) throw new BadRequest(`the body has more than ${MOST_BYTES} bytes`)
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** As a llama-server does it: the status of a whole answer, an event in a stream that has begun. */
function refuse(response: ServerResponse, error: unknown): void {
  const isTheirs = error instanceof BadRequest || /failed to parse grammar/i.test(messageOf(error))
  const status = isTheirs ? 400 : 500
  const message = error instanceof Error ? error.message : String(error)
  const value = { error: { code: status, message, type: isTheirs ? 'invalid_request_error' : 'server_error' } }
  if (!response.headersSent) return json(response, status, value)
  response.end(`data: ${JSON.stringify(value)}\n\n`)
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
