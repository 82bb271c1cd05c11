import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { nous, profileNamed } from '@callspec/core/qwen-agent'
import { renderChatML } from '@callspec/qwen-agent/reference'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { PlainValue } from '@callspec/python'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'

/** A small server on 127.0.0.1. */
export interface TestServer {
  readonly url: string
  close(): Promise<void>
}

type Handler = (path: string, body: Body, response: ServerResponse) => Promise<void> | void

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: string }[]
  readonly tools?: readonly { readonly function: { readonly [key: string]: PlainValue } }[]
  readonly stream?: boolean
}

/** Answers with `handler`; unknown paths get a 404 in JSON, as servers of this kind give it. */
export async function serve(handler: Handler, port = 0): Promise<TestServer> {
  const server = createServer((request, response) => {
    readAll(request)
      .then(async (text) => {
        await handler(request.url ?? '', JSON.parse(text === '' ? '{}' : text) as Body, response)
        if (!response.writableEnded && !response.headersSent) json(response, 404, { error: 'not found' })
      })
      .catch((error: unknown) => json(response, 500, { error: { message: String(error) } }))
  })
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', () => settle()))
  return { url: `http://127.0.0.1:${portOf(server)}/v1`, close: () => closed(server) }
}

/**
 * A port without a listener, which no server is given: one that was free a moment ago may be that of the next server, which then gets
 * the requests of a client that goes on asking. Fetch itself refuses port 1.
 */
export const CLOSED_PORT = 2

/** A port for a server that starts later. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', () => settle()))
  const port = portOf(server)
  await closed(server)
  return port
}

/** How a gateway reads what its model says. */
export type Reading = 'reads calls' | 'leaks markers' | 'fails on calls' | 'ends twice' | 'does not stream'

/** A gateway that writes tools into the prompt in the format nous, and asks an upstream. */
export function gateway(upstreamPort: number, reading: Reading = 'reads calls'): Promise<TestServer> {
  return serve(async (path, body, response) => {
    if (path === '/v1/models') return json(response, 200, { data: [{ id: 'gateway' }] })
    if (path !== '/v1/chat/completions') return undefined
    if (reading === 'does not stream' && body.stream === true) {
      return json(response, 400, { error: { message: 'streams are not supported' } })
    }
    const asked = { model: 'm', messages: promptOf(body), stream: body.stream ?? false }
    const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(asked),
    })
    const text = textOf(await answer.text(), asked.stream)
    if (reading === 'fails on calls' && text.includes('<tool_call>')) {
      return json(response, 500, { error: { message: 'list index out of range' } })
    }
    const message = reading === 'leaks markers' ? { content: text } : messageOf(text)
    if (body.stream !== true) return json(response, 200, { choices: [{ message, finish_reason: 'stop' }] })
    return stream(response, message, reading === 'ends twice' ? 2 : 1)
  })
}

/** An engine that cannot be pointed anywhere, but shows its prompt, or how long it is. */
export function engine(shows: 'prompt' | 'count' | 'usage' | 'another count' | 'nothing'): Promise<TestServer> {
  return serve((path, body, response) => {
    const prompt = (): string => renderChatML(promptOf(body), { profile: MAIN, allowSpecial: true, defaultSystem: '' })
    const tokens = (): number => loadQwenTokenizer().count(prompt())
    if (path === '/v1/models') return json(response, 200, { data: [{ id: 'engine' }] })
    if (path === '/version') return json(response, 200, { version: '0.11.0' })
    if (path === '/apply-template' && shows === 'prompt') return json(response, 200, { prompt: prompt() })
    if (path === '/tokenize' && shows === 'count') return json(response, 200, { count: tokens() })
    // One token per character.
    if (path === '/tokenize' && shows === 'another count') return json(response, 200, { count: prompt().length })
    if (path !== '/v1/chat/completions') return undefined
    const usage = shows === 'usage' ? { usage: { prompt_tokens: tokens() } } : {}
    return json(response, 200, { choices: [{ message: { content: 'Hi' } }], ...usage })
  })
}

const MAIN = profileNamed('main') as Profile

function promptOf({ messages = [], tools = [] }: Body): readonly Message[] {
  return nous.render({
    messages: messages as readonly Message[],
    tools: tools.map((tool) => tool.function),
    language: 'en',
    parallelCalls: false,
    toolChoice: 'auto',
  })
}

interface Said {
  readonly content: string
  readonly tool_calls?: readonly object[]
}

function messageOf(text: string): Said {
  const outcome = nous.parse(text)
  if (outcome.kind === 'rejected') throw new Error(outcome.error.message)
  const calls = outcome.messages.flatMap(({ function_call: call }) => (call ? [call] : []))
  return {
    content: outcome.messages.map(({ content }) => content).join(''),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call, index) => ({ index, id: `${index}`, function: call })) }),
  }
}

function stream(response: ServerResponse, delta: Said, ends: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(`data: ${JSON.stringify({ choices: [{ delta, finish_reason: null }] })}\r\n\r\n`)
  const end = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })
  for (let at = 0; at < ends; at += 1) response.write(`data: ${end}\n\n`)
  response.end('data: [DONE]\n\n')
}

function textOf(body: string, isStream: boolean): string {
  type Answer = { choices: [{ message?: { content: string }; delta?: { content?: string } }] }
  if (!isStream) return (JSON.parse(body) as Answer).choices[0].message?.content ?? ''
  const events = body.split('\n\n').filter((each) => each.startsWith('data: {'))
  return events.map((each) => (JSON.parse(each.slice(6)) as Answer).choices[0].delta?.content ?? '').join('')
}

export function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function closed(server: Server): Promise<void> {
  return new Promise((settle) => {
    server.close(() => settle())
    server.closeAllConnections()
  })
}
