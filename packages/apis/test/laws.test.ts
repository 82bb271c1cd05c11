import { describe, expect, it } from 'vitest'
import type { Api, ApiReply } from '../src/index.ts'
import { readReply } from '../src/index.ts'

function read(api: Api, ...events: readonly (object | string)[]): ApiReply {
  const sse = events.map((event) => {
    const type = typeof event === 'object' && 'type' in event ? String(event.type) : ''
    return `${type === '' ? '' : `event: ${type}\n`}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
  })
  return readReply(sse.join(''), api, { holdsCall: () => false })
}

const breachesOf = (reply: ApiReply): readonly string[] =>
  reply.breaches.map(({ law, weight, event, times }) => `${law} ${weight} ${event} ${times}`)

function chunk(delta: object, finish: string | null = null, index = 0): object {
  return { id: 'r', choices: [{ index, delta, finish_reason: finish }] }
}

const ROLE = chunk({ role: 'assistant' })
const END = chunk({}, 'stop')
const DONE = '[DONE]'

describe('a stream of chat', () => {
  it.each([
    ['cut JSON', '{"id": "r'],
    ['a list', '[1]'],
    ['NaN, which Python reads', '{"id": "r", "x": NaN}'],
    ['Infinity, which Python reads', '{"id": "r", "x": -Infinity}'],
  ])('breaks C16 by %s', (_, data) => {
    const { breaches } = read('chat', ROLE, data, END, DONE)

    const [first] = breaches
    expect([first?.law, first?.weight, first?.event, first?.evidence]).toEqual([
      ...['C16', 'broken', 2],
      `it is ${JSON.stringify(data)}`,
    ])
  })

  it('may say NaN and Infinity in a text', () => {
    expect(breachesOf(read('chat', ROLE, chunk({ content: 'NaN Infinity' }), END, DONE))).toEqual([])
  })

  it('breaks C16 by an event that is nested too deeply to be read, in linear time', () => {
    const deep = `{"id":"r","x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`

    expect(breachesOf(read('chat', ROLE, deep, END, DONE))).toEqual(['C16 broken 2 1'])
  })

  it.each([
    ['a text', chunk({ content: 'a\ufffd' })],
    ['reasoning', chunk({ reasoning_content: '\ufffd' })],
    [
      'arguments',
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a": "\ufffd"}' } }] }),
    ],
  ])('breaks C17 by U+FFFD in %s, and no client minds', (_, event) => {
    const { breaches } = read('chat', ROLE, event, DONE)

    expect(breaches.find(({ law }) => law === 'C17')).toMatchObject({ weight: 'odd', event: 2, times: 1 })
  })

  it('shows the first breach of a law that clients mind, and counts all', () => {
    const call = (more: object, called: object): object =>
      chunk({ tool_calls: [{ index: 0, ...more, function: called }] })
    const again = call({}, { name: 'f' })
    const events = [ROLE, call({ id: 'a' }, { name: 'f', arguments: '{}' }), again, call({ id: 'b' }, {}), again]

    expect(breachesOf(read('chat', ...events, chunk({}, 'tool_calls'), DONE))).toEqual(['C5 broken 4 3'])
  })

  it('names the event in which arguments come as a value', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: {} } }] })

    expect(breachesOf(read('chat', ROLE, call, chunk({}, 'tool_calls'), DONE))).toEqual(['C10 broken 2 1'])
  })

  it('is read by its first choice, and judged by each, in any order', () => {
    const events = [chunk({ content: 'b' }, null, 1), ROLE, chunk({ content: 'a' }), END, DONE]
    const { items, finish, breaches } = read('chat', ...events)

    expect([items, finish]).toEqual([[{ kind: 'text', text: 'a' }], 'stop'])
    expect(breaches.map(({ law, evidence }) => `${law} ${evidence}`)).toEqual([
      'C1 choice 1: it does not',
      'C7 choice 1: no finish reason came',
    ])
  })

  it('of 200 choices is judged by 128', () => {
    const events = Array.from({ length: 200 }, (_, index) => chunk({ role: 'assistant' }, null, index))

    expect(breachesOf(read('chat', ...events, DONE))).toEqual(['C7 broken 0 128'])
  })

  it('is read by choice 0 also where 128 others come before it', () => {
    const others = Array.from({ length: 128 }, (_, at) => chunk({ role: 'assistant' }, 'stop', at + 1))

    expect(read('chat', ...others, ROLE, chunk({ content: 'a' }), END, DONE).items).toEqual([
      { kind: 'text', text: 'a' },
    ])
  })

  it('may be one of text completions, which have no role', () => {
    const text = (said: string, finish: string | null): object => ({
      ...{ id: 'r', choices: [{ index: 0, text: said, finish_reason: finish }] },
    })
    const { items, breaches } = read('chat', text('It', null), text(' is', 'stop'), DONE)

    expect([items, breaches]).toEqual([[{ kind: 'text', text: 'It is' }], []])
    expect(readReply(JSON.stringify(text('It', 'stop')), 'chat', { holdsCall: () => false }).items).toEqual([
      { kind: 'text', text: 'It' },
    ])
  })
})

describe('a stream of messages', () => {
  const start = { type: 'message_start', message: { content: [], usage: { input_tokens: 1 } } }
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
  const block = (text: string): readonly object[] => [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ]

  it('breaks M17 alone by an event that is not JSON', () => {
    expect(breachesOf(read('messages', start, '{"type": "con', ...block('a'), ...end))).toEqual(['M17 broken 2 1'])
  })

  it('breaks M19 by U+FFFD', () => {
    expect(breachesOf(read('messages', start, ...block('a\ufffd'), ...end))).toEqual(['M19 odd 3 1'])
  })
})

describe('a stream of responses', () => {
  const laws = ({ breaches }: ApiReply): readonly string[] => breaches.map(({ law, event }) => `${law} ${event}`)

  it('breaks R17 by an event that is not JSON, which counts for nothing else', () => {
    const created = { type: 'response.created', sequence_number: 0, response: { id: 'r' } }
    const next = { type: 'response.in_progress', sequence_number: 1, response: { id: 'r' } }

    expect(laws(read('responses', created, '{"type": "re', next))).toEqual(['R8 0', 'R17 2'])
  })

  it('breaks R19 by U+FFFD in a delta, or else in the final response', () => {
    const part = { item_id: 'm', output_index: 0, content_index: 0 }
    const delta = { type: 'response.output_text.delta', sequence_number: 0, delta: '\ufffd', ...part }
    const item = { id: 'm', type: 'message', content: [{ type: 'output_text', text: '\ufffd' }] }
    const last = { type: 'response.completed', sequence_number: 0, response: { status: 'completed', output: [item] } }

    expect(laws(read('responses', delta))).toContain('R19 1')
    expect(laws(read('responses', last))).toContain('R19 0')
  })
})
