import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LedgerRow } from './ledger.ts'
import { PRESETS } from './preset.ts'
import type { WireMessage } from './read-request.ts'
import { loadReferences } from './reference.ts'
import { createSimulator } from './reply.ts'
import type { SimReply, SimRequest } from './reply.ts'

/** A running server of simulated models. */
export interface SimServer {
  /** What goes into `--base-url`: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string
  /** What every reply so far was meant to be, in the order of the replies. */
  ledger(): readonly LedgerRow[]
  close(): Promise<void>
}

/** A request body beyond this is refused. */
const MAX_BODY_BYTES = 20_000_000
/** Code points per streamed chunk: few enough that markers are cut in the middle. */
const CHUNK = 13

/**
 * Starts an OpenAI-compatible server on 127.0.0.1: `/v1/models`, `/v1/chat/completions` (streamed and whole),
 * `/__sim/ledger` and `/__sim/reset`.
 *
 * @param port 0 for any free one
 */
export async function startSimServer({ port = 0 }: { readonly port?: number } = {}): Promise<SimServer> {
  const ledger: LedgerRow[] = []
  const server = createServer(listener(ledger))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    ledger: () => [...ledger],
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The routes. Replies are written down in `ledger` before they are sent. */
function listener(ledger: LedgerRow[]): RequestListener {
  const reply = createSimulator(loadReferences())
  const complete = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    if (body === null) return refuse(response, 400, BAD_BODY)
    const answer = reply(body.request)
    if (answer.kind === 'refusal') return refuse(response, answer.status, answer)
    ledger.push(answer.row)
    if (body.stream) stream(response, body.request.model, answer)
    else sendJson(response, 200, completion(body.request.model, answer))
  }
  return (request, response) => {
    const route = `${request.method ?? ''} ${request.url ?? ''}`
    if (route === 'POST /v1/chat/completions') complete(request, response).catch(() => response.destroy())
    else if (route === 'GET /v1/models') sendJson(response, 200, models())
    else if (route === 'GET /__sim/ledger') {
      const lines = ledger.map((row) => `${JSON.stringify(row)}\n`)
      response.writeHead(200, { 'content-type': 'application/jsonl' }).end(lines.join(''))
    } else if (route === 'POST /__sim/reset') {
      ledger.length = 0
      sendJson(response, 200, { ok: true })
    } else refuse(response, 404, { code: 'not_found', message: `No such route: ${route}` })
  }
}

const BAD_BODY = {
  code: 'invalid_request_error',
  message: 'The body is no JSON object with "model" and "messages".',
}

function models(): object {
  return {
    object: 'list',
    data: [...PRESETS.keys()].map((id) => ({ id, object: 'model', created: 0, owned_by: 'callspec' })),
  }
}

async function readBody(
  request: IncomingMessage,
): Promise<{ readonly request: SimRequest; readonly stream: boolean } | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_BODY_BYTES) return null
    parts.push(part)
  }
  try {
    return asRequest(JSON.parse(Buffer.concat(parts).toString('utf8')) as Body)
  } catch {
    return null
  }
}

interface Body {
  readonly model?: unknown
  readonly messages?: unknown
  readonly stop?: unknown
  readonly seed?: unknown
  readonly stream?: unknown
}

function asRequest(body: Body): { readonly request: SimRequest; readonly stream: boolean } | null {
  if (typeof body.model !== 'string' || !Array.isArray(body.messages)) return null
  const messages = body.messages.map((message: { role?: unknown; content?: unknown }): WireMessage => ({
    role: String(message.role),
    content: textOf(message.content),
  }))
  const stop = [body.stop ?? []].flat().map(String)
  return { request: { model: body.model, messages, stop, seed: Number(body.seed ?? 0) }, stream: body.stream === true }
}

/** Content as one text: a text, or the texts of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('')
}

function completion(model: string, answer: SimReply): object {
  return {
    ...head('chat.completion', model, answer),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text },
        logprobs: null,
        finish_reason: answer.finishReason,
      },
    ],
    usage: usage(answer),
  }
}

function head(object: string, model: string, answer: SimReply): object {
  // A fixed time: replies must be equal on every machine and every day.
  return { id: answer.id, object, created: 0, model, system_fingerprint: 'sim-1' }
}

function usage({ usage: { prompt, completion: written } }: SimReply): object {
  return { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written }
}

function stream(response: ServerResponse, model: string, answer: SimReply): void {
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ ...head('chat.completion.chunk', model, answer), ...fields })}\n\n`
  const delta = (content: object, finish: string | null): string =>
    chunk({ choices: [{ index: 0, delta: content, logprobs: null, finish_reason: finish }] })
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.write(delta({ role: 'assistant', content: '' }, null))
  const points = [...answer.text]
  for (let at = 0; at < points.length; at += CHUNK)
    response.write(delta({ content: points.slice(at, at + CHUNK).join('') }, null))
  response.write(delta({}, answer.finishReason))
  response.write(chunk({ choices: [], usage: usage(answer) }))
  response.end('data: [DONE]\n\n')
}

function refuse(
  response: ServerResponse,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code } })
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
