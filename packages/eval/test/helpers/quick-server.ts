import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Script } from '../../src/doctor/scripts.ts'
import { SCRIPTS } from '../../src/doctor/scripts.ts'

/** A call as it goes over the wire. */
export interface WireCall {
  readonly id?: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: unknown }
}

/** A whole reply. */
export interface WireReply {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly WireCall[]
  readonly finish: string | null
  /** 64 unless given. */
  readonly tokens?: number
}

/** What is wrong with a server; nothing by default. */
export interface Defect {
  /** How a right reply is changed, in both modes. */
  readonly reply?: (reply: WireReply, script: Script) => WireReply
  /** How the deltas of a stream are changed: objects with `delta` and `finish_reason`. */
  readonly deltas?: (deltas: readonly WireDelta[]) => readonly WireDelta[]
  /** How the data of the events of a stream are changed, the mark of its end among them. */
  readonly data?: (data: readonly string[], script: Script) => readonly string[]
  /** Answers in place of the server. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse, script: Script | null) => boolean
}

/** One choice of one event. */
export interface WireDelta {
  readonly delta: Readonly<Record<string, unknown>>
  readonly finish_reason: string | null
}

/** What a server was sent. */
export interface QuickServer {
  readonly baseUrl: string
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
}

/** A server on 127.0.0.1 that answers every script rightly, but for its defect. Closed when the test is over. */
export async function quickServer(defect: Defect = {}): Promise<QuickServer> {
  const requests: QuickServer['requests'] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      requests.push({ url: request.url ?? '', headers: request.headers, body })
      const script = SCRIPTS.find(({ question }) => body.includes(JSON.stringify(question))) ?? null
      if (defect.answer?.(request, response, script) === true) return
      if (script === null) response.end(JSON.stringify({ data: [{ id: 'm' }] }))
      else reply(response, { defect, script, isStream: body.includes('"stream":true') })
    })
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests }
}

interface Reply {
  readonly defect: Defect
  readonly script: Script
  readonly isStream: boolean
}

function reply(response: ServerResponse, { defect, script, isStream }: Reply): void {
  const right = rightReply(script)
  const { finish, tokens = 64, ...message } = defect.reply?.(right, script) ?? right
  const usage = { prompt_tokens: 100, completion_tokens: tokens }
  if (!isStream) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'r', choices: [choice], usage }))
    return
  }
  const deltas = defect.deltas?.(deltasOf({ finish, ...message })) ?? deltasOf({ finish, ...message })
  const events = deltas.map((each) => ({ id: 'r', choices: [{ index: 0, ...each }] }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const data = [...[...events, { id: 'r', choices: [], usage }].map((event) => JSON.stringify(event)), '[DONE]']
  const sent = defect.data?.(data, script) ?? data
  response.end(sent.map((each) => `data: ${each}\n\n`).join(''))
}

function rightReply({ calls, mentions = 'Hello!', id }: Script): WireReply {
  if (calls.length === 0) return { content: mentions, finish: 'stop' }
  const made = calls.map(({ name, args }, at) => ({
    id: `call_${at}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }))
  const thought = id === 'thought-then-call' ? { reasoning_content: 'I need the weather.' } : {}
  return { content: null, ...thought, tool_calls: made, finish: 'tool_calls' }
}

/** The head of every call, then its arguments in pieces of five characters. */
function deltasOf({ content, reasoning_content: thought, tool_calls: calls = [], finish }: WireReply): WireDelta[] {
  const deltas: Readonly<Record<string, unknown>>[] = [
    { role: 'assistant', content: '' },
    ...(thought === undefined ? [] : [{ reasoning_content: thought }]),
    ...(content === null ? [] : [{ content }]),
    ...calls.flatMap(({ function: called, ...call }, index) => [
      {
        tool_calls: [
          { index, ...call, function: { ...called, arguments: isText(called.arguments) ? '' : called.arguments } },
        ],
      },
      ...piecesOf(called.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
  return [...deltas.map((delta) => ({ delta, finish_reason: null })), { delta: {}, finish_reason: finish }]
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function piecesOf(args: unknown): readonly string[] {
  return typeof args === 'string' ? (args.match(/.{1,5}/gsu) ?? []) : []
}
