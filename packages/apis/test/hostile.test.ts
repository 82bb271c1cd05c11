import { isDict, loads } from '@callspec/python'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Api } from '../src/index.ts'
import { API_LAWS, apiOf, APIS, createReplyReader, NoReply, readReply, readRequest } from '../src/index.ts'

const OPTIONS = { holdsCall: (): boolean => false }

const TYPES = [
  ...[
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ],
  ...['response.created', 'response.output_item.added', 'response.output_item.done', 'response.output_text.delta'],
  ...['response.function_call_arguments.done', 'response.completed', 'error', 'ping', '__proto__'],
]
const MEMBERS = [
  'type',
  'index',
  'delta',
  'item',
  'response',
  'choices',
  'tool_calls',
  'content_block',
  'output',
  'usage',
]
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...TYPES, null, true, 0, 1, -1, 1e21, '', '{"a": 1}', '\ud800'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...MEMBERS, 'text', 'id', 'name', 'function', 'arguments', '__proto__'), tie('any')),
  ),
})).any
const event = fc
  .record({ name: fc.constantFrom('', ...TYPES), type: fc.constantFrom(...TYPES), value })
  .map(({ name, type, value: given }) => {
    const data = typeof given === 'object' && given !== null && !Array.isArray(given) ? { type, ...given } : given
    return { name, data: JSON.stringify(data) }
  })

describe.each(APIS)('a reply of %s', (api: Api) => {
  it('is read, whatever the events are', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const reader = createReplyReader(api, OPTIONS)
        for (const each of events) reader.add(each)
        for (const { law, times } of reader.end().breaches) {
          expect(API_LAWS).toHaveProperty(law)
          expect(times).toBeGreaterThan(0)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is read, whatever a whole body is, and so is a request', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...MEMBERS, 'content', 'messages', 'input', 'system', 'tools'), value),
        (body) => {
          readReply(JSON.stringify(body), api, OPTIONS)
          const again = loads(JSON.stringify(body))
          if (isDict(again)) readRequest(again, api)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a transcript', () => {
  it.each([
    ['', null],
    ['hello', null],
    ['[1]', null],
    ['data: x'.padEnd(17_000_000, 'x'), null],
  ])('that is no reply is refused', (text) => {
    expect(() => readReply(text, 'chat', OPTIONS)).toThrow(NoReply)
  })

  it.each([
    ['crlf', 'data: {"choices": [{"delta": {"role": "assistant", "content": "a"}}]}\r\n\r\ndata: [DONE]\r\n\r\n'],
    ['a byte order mark', '\ufeffdata: {"choices": [{"delta": {"role": "assistant", "content": "a"}}]}\n\n'],
    ['comments', ': ping\n\ndata: {"choices": [{"delta": {"role": "assistant", "content": "a"}}]}\n\n: ping\n\n'],
    [
      'both message and delta',
      'data: {"choices": [{"message": {"content": "b"}, "delta": {"role": "assistant", "content": "a"}}]}\n\n',
    ],
    [
      'JSON that is cut',
      'data: {"choices": [{"delta": {"role": "assistant", "content": "a"}}]}\n\ndata: {"choices": [{"del',
    ],
  ])('with %s gives its text', (_, text) => {
    expect(readReply(text, 'chat', OPTIONS).items).toEqual([{ kind: 'text', text: 'a' }])
  })

  it('tells its API by members that only one has', () => {
    expect(apiOf('{"object": "response"}')).toBe('responses')
    expect(apiOf('{"type": "message"}')).toBe('messages')
    expect(apiOf('data: {"choices": []}\n\n')).toBe('chat')
    expect(apiOf('{}')).toBeNull()
  })

  it('of a response that failed has its error, and need not hold what was streamed', () => {
    const item = { id: 'm', type: 'message', role: 'assistant', content: [] }
    const events = [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      {
        ...{ type: 'response.failed' },
        response: {
          id: 'r',
          status: 'failed',
          error: { code: 'server_error', message: 'no' },
          output: [],
          usage: null,
        },
      },
    ]
    const sse = events.map(
      (each, at) => `event: ${each.type}\ndata: ${JSON.stringify({ ...each, sequence_number: at })}\n\n`,
    )

    expect(readReply(sse.join(''), 'responses', OPTIONS)).toMatchObject({ error: 'no', finish: 'failed', breaches: [] })
  })

  it('counts events that its API does not have', () => {
    const text = 'event: x.y\ndata: {"type": "x.y"}\n\n'

    expect(readReply(text, 'messages', OPTIONS).unknown).toBe(1)
    expect(readReply(text, 'responses', OPTIONS).unknown).toBe(1)
  })
})
