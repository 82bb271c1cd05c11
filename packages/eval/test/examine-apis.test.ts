import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examineApis } from '../src/doctor/examine-apis.ts'

const USAGE = { prompt_tokens: 3, completion_tokens: 4 }
const COUNTS = { input_tokens: 3, output_tokens: 4 }
const CHOICE = { index: 0, message: { role: 'assistant', content: 'Noon.' }, finish_reason: 'stop' }
const MESSAGE = { type: 'message', content: [{ type: 'text', text: 'Noon.' }], stop_reason: 'end_turn', usage: COUNTS }
const PART = { type: 'output_text', text: 'Noon.' }
const OUTPUT = [{ type: 'message', id: 'm', status: 'completed', content: [PART] }]
const RESPONSE = { object: 'response', status: 'completed', output: OUTPUT, usage: COUNTS }

const WHOLE: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { choices: [CHOICE], usage: USAGE },
  '/v1/messages': MESSAGE,
  '/v1/responses': RESPONSE,
}
const events = (...all: readonly { readonly type: string }[]): string =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
const of = (type: string, more: object): { readonly type: string } => ({ type, ...more })
const STREAMS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': [
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Noon.' } }] })}\n\n`,
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  ].join(''),
  '/v1/messages': events(
    of('message_start', { message: { content: [], stop_reason: null, usage: COUNTS } }),
    of('content_block_start', { index: 0, content_block: { type: 'text', text: 'Noon.' } }),
    of('content_block_stop', { index: 0 }),
    of('message_delta', { delta: { stop_reason: 'end_turn' }, usage: COUNTS }),
    of('message_stop', {}),
  ),
  '/v1/responses': events(
    of('response.created', { sequence_number: 0, response: { output: [] } }),
    of('response.completed', { sequence_number: 1, response: { ...RESPONSE, output: [] } }),
  ),
}

interface Served {
  readonly whole?: Readonly<Record<string, object>>
  readonly streams?: Readonly<Record<string, string>>
}

/** The findings on a server that answers from these tables, and 404 to any other path. */
async function examined({ whole = WHOLE, streams = STREAMS }: Served, quick = false): Promise<readonly string[]> {
  const server = createServer((request, reply) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      const { stream = false } = JSON.parse(text) as { readonly stream?: boolean }
      const answer = stream ? streams[request.url ?? ''] : whole[request.url ?? '']
      if (answer === undefined) reply.writeHead(404).end('{"error": {"message": "File Not Found"}}')
      else reply.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const options = { baseUrl, apiKey: 'EMPTY', timeoutMs: 5000, fetch: undefined }
  const findings = await examineApis(options, { model: 'm', quick, signal: AbortSignal.timeout(20_000) })
  return findings.map(({ check, verdict, evidence }) => `${verdict} ${check}: ${evidence}`)
}

describe('the APIs of a server', () => {
  it('are named where it has them, with the laws that a stream breaks and what it loses', async () => {
    expect(await examined({})).toEqual([
      'ok api-chat: whole and streamed: every law holds',
      'ok api-messages: whole and streamed: every law holds, and it says what chat says',
      'warn api-responses: streamed differs from chat: another text',
    ])
  })

  it('are compared in meaning: a message with another call is another reply', async () => {
    const call = { type: 'tool_use', id: 't', name: 'clock', input: {} }
    const message = { ...MESSAGE, content: [call], stop_reason: 'tool_use' }

    expect((await examined({ whole: { ...WHOLE, '/v1/messages': message } }))[1]).toBe(
      'warn api-messages: whole differs from chat: 1 instead of 0 calls',
    )
  })

  it('are judged by their streams alone with quick', async () => {
    const streams = { ...STREAMS, '/v1/messages': STREAMS['/v1/messages']?.replaceAll(/^event:.*\n/gm, '') ?? '' }

    expect(await examined({ streams, whole: {} }, true)).toEqual([
      'ok api-chat: streamed: every law holds',
      'warn api-messages: streamed breaks M10 (the name of an event is the type in its data)',
      'warn api-responses: streamed differs from chat: another text',
    ])
  })

  it('are unknown where the server lacks them, or answers with something else', async () => {
    const { '/v1/chat/completions': chat = {} } = WHOLE
    const page = { '/v1/chat/completions': STREAMS['/v1/chat/completions'] ?? '', '/v1/responses': '<html>' }

    const [, messages, responses] = await examined({
      whole: { '/v1/chat/completions': chat, '/v1/responses': RESPONSE },
      streams: page,
    })

    expect(messages).toBe('unknown api-messages: the server does not have it: 404 File Not Found')
    expect(responses).toBe(
      'warn api-responses: streamed: the answer is no reply: it is neither a JSON map nor a stream of events',
    )
  })
})
