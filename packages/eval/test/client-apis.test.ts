import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { compareRows } from '../src/metrics/compare-rows.ts'
import { episodeOutcome } from '../src/metrics/outcome.ts'
import { formatId, recordedNameOf } from '../src/trace/format-names.ts'
import type { ChatRequest } from '../src/client/client.ts'
import { withOtherApis } from './helpers/other-api.ts'
import { serve } from './helpers/serve.ts'
import { suite } from './helpers/play.ts'
import { simulate } from './helpers/simulate.ts'
import { fewOf } from '../../tidy/test/share.ts'

const APIS = ['messages', 'responses'] as const
type OtherApi = (typeof APIS)[number]

const TOOL = { type: 'function', function: { name: 'clock', parameters: { type: 'object', properties: {} } } }
const CALL = { id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }

function request(api: OtherApi, parameters: object = {}): ChatRequest {
  const messages = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'c1', content: 'noon' },
  ]
  return {
    model: 'm',
    messages,
    api,
    parameters: { tools: [TOOL], max_tokens: 50, stop: ['END'], seed: 7, ...parameters },
  }
}

interface Asked {
  readonly url: string | undefined
  readonly body: unknown
  readonly version: unknown
}

/** What a server was sent, and what the client made of its answer. */
async function ask(
  api: OtherApi,
  answer: { readonly status?: number; readonly type?: string; readonly text: string },
  stream = false,
): Promise<{ readonly asked: Asked; readonly outcome: unknown }> {
  let asked: Asked = { url: '', body: null, version: null }
  const baseUrl = await serve((sent, reply) => {
    let text = ''
    sent.on('data', (part: Buffer) => (text += part.toString()))
    sent.on('end', () => {
      asked = { url: sent.url, body: JSON.parse(text) as unknown, version: sent.headers['anthropic-version'] }
      reply.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' }).end(answer.text)
    })
  })
  const client = createClient({ baseUrl, apiKey: 'EMPTY', timeoutMs: 5000, maxRetries: 0, stream })
  const outcome = await client.complete(request(api, { temperature: 0 }))
  return { asked, outcome: outcome.kind === 'done' ? outcome.value : outcome.error.failure }
}

describe('a request over another API', () => {
  it('has the form of messages', async () => {
    const text =
      '{"type": "message", "content": [{"type": "tool_use", "id": "t", "name": "clock", "input": {"n": 12345678901234567890}}], "stop_reason": "tool_use", "usage": {"input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 4}}'
    const { asked, outcome } = await ask('messages', { text })

    expect(asked).toEqual({
      url: '/v1/messages',
      version: '2023-06-01',
      body: {
        ...{ model: 'm', stream: false, max_tokens: 50, system: 'Be short.', stop_sequences: ['END'], temperature: 0 },
        tools: [{ name: 'clock', input_schema: { type: 'object', properties: {} } }],
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'clock', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'noon' }] },
        ],
      },
    })
    expect(outcome).toMatchObject({
      toolCalls: [{ id: 't', name: 'clock', arguments: '{"n": 12345678901234567890}' }],
      ...{ finishReason: 'tool_calls', usage: { prompt: 10, completion: 4, cached: 7 }, warnings: [] },
    })
  })

  it('has the form of responses, which have no stop words', async () => {
    const { asked, outcome } = await ask('responses', {
      text: '{"object": "response", "status": "completed", "output": [{"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Noon."}]}], "usage": {"input_tokens": 3, "output_tokens": 4}}',
    })

    expect(asked).toMatchObject({
      url: '/v1/responses',
      body: {
        ...{
          model: 'm',
          stream: false,
          instructions: 'Be short.',
          max_output_tokens: 50,
          store: false,
          temperature: 0,
        },
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'function_call', call_id: 'c1', name: 'clock', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'noon' },
        ],
      },
    })
    expect(JSON.stringify(asked.body)).not.toMatch(/seed|stop"|END/)
    expect(outcome).toMatchObject({ text: 'Noon.', finishReason: 'stop', usage: { prompt: 3, completion: 4 } })
  })

  it('was cut where its tokens are all that it may have, also if the server calls it completed', async () => {
    const text = (tokens: number): string =>
      `{"object": "response", "status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "No"}]}], "usage": {"input_tokens": 3, "output_tokens": ${tokens}}}`

    expect((await ask('responses', { text: text(50) })).outcome).toMatchObject({ text: 'No', finishReason: 'length' })
    expect((await ask('responses', { text: text(49) })).outcome).toMatchObject({ text: 'No', finishReason: 'stop' })
  })

  const START = 'event: message_start\ndata: {"type": "message_start", "message": {"content": []}}\n\n'
  const TEXT = 'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "No"}}\n\n'
  it.each([
    [
      'an error status',
      { status: 400, text: '{"type": "error", "error": {"message": "no tools"}}' },
      'infra',
      'no tools',
    ],
    ['a server without the API', { status: 404, text: '{"error": {"message": "gone"}}' }, 'configuration', 'gone'],
    ['a page', { text: '<html>' }, 'infra', 'the response is no reply of messages: <html>'],
    ['another map', { text: '{"a": 1}' }, 'infra', 'the response is no reply of messages'],
    ['nothing', { text: ' ' }, 'infra', 'the server sent an empty response'],
    ['an empty stream', { type: 'text/event-stream', text: ': hi\n\n' }, 'infra', 'the stream held no reply'],
    ['half a stream', { type: 'text/event-stream', text: START + TEXT }, 'infra', 'the reply ended before'],
    [
      'an error in a stream',
      { type: 'text/event-stream', text: `${START}data: {"type": "error", "error": {"message": "overloaded"}}\n\n` },
      'infra',
      'the server reported an error: overloaded',
    ],
  ])('fails by %s as over chat', async (_, answer, kind, message) => {
    const { outcome } = await ask('messages', answer, true)

    expect(outcome).toMatchObject({ kind, message: expect.stringContaining(message) as string })
  })
})

describe.each(APIS)('an evaluation over %s', (api) => {
  it.each([false, true])('scores as over chat, streamed: %s, and agrees with the ledger', async (stream) => {
    const models = ['sim/perfect', 'sim/hermes-7b-like']
    const tasks = fewOf(suite.tasks, 12)
    const settings = { models, tasks, formats: ['native', 'fncall-nous'] as const, stream, stops: 'off' as const }

    const [chat, other] = [await simulate(settings), await simulate({ ...settings, api, server: withOtherApis })]

    const told = ({ scores }: typeof chat): unknown =>
      scores.map(({ key, success, end, attribution }) => [key, success, end, attribution])
    expect(told(other)).toEqual(told(chat))
    expect(chat.scores.length).toBeGreaterThan(40)
  })
})

describe('an evaluation over several APIs', () => {
  it('has a row per API, with the scores of each alone, and compares them in pairs', async () => {
    const models = ['sim/hermes-7b-like']
    const tasks = fewOf(suite.tasks, 12)
    const formats = ['native@chat', 'native@messages', 'native@responses', 'fncall-nous@messages']
    const settings = { models, tasks, stream: true, stops: 'off', server: withOtherApis } as const

    const { scores } = await simulate({ ...settings, formats })
    const alone = await simulate({ ...settings, formats: ['native'], api: 'messages' })

    const told = (all: typeof scores): unknown =>
      all.map(({ key: { task, sample }, success, end, attribution }) => [task, sample, success, end, attribution])
    for (const protocol of formats.slice(0, 3))
      expect(told(scores.filter(({ key }) => key.protocol === protocol))).toEqual(told(alone.scores))
    const rows = formats.map((protocol) => ({
      ...{ model: 'sim/hermes-7b-like', protocol },
      outcomes: () => scores.filter(({ key }) => key.protocol === protocol).map(episodeOutcome),
    }))
    const { comparisons } = compareRows(rows)
    expect(comparisons.map(({ left, right, tests }) => [left, right, tests[0]?.effect])).toEqual([
      ['native@chat', 'native@messages', 0],
      ['native@chat', 'native@responses', 0],
      ['native@messages', 'native@responses', 0],
      ['native@messages', 'fncall-nous@messages', expect.any(Number)],
    ])
  })
})

describe('the name of a format over an API', () => {
  it.each([
    ['fncall-nous@messages', 'nous@messages'],
    ['native@chat', 'native@chat'],
    ['native', 'native'],
    ['acme@home', 'acme@home'],
  ])('of %s is %s in tables, and is found by either', (name, id) => {
    expect(formatId(name)).toBe(id)
    expect(recordedNameOf(id)).toBe(name.startsWith('acme') ? null : name)
  })
})
