import { describe, bench } from 'vitest'
import type { Api } from '../src/index.ts'
import { APIS, createEventReader, createReplyReader } from '../src/index.ts'

/*
 * What reading and judging the events of a stream costs, beside `JSON.parse` of the same events: the same bytes in one run. With twice
 * the events it must take twice the time, also where every event opens a call.
 */
const OPENS: Readonly<Record<Api, (at: number) => object>> = {
  chat: (at) => ({
    choices: [{ delta: { tool_calls: [{ index: at, id: `c${at}`, function: { name: 'f', arguments: '{}' } }] } }],
  }),
  messages: (at) => ({
    type: 'content_block_start',
    index: at,
    content_block: { type: 'tool_use', id: `t${at}`, name: 'f' },
  }),
  responses: (at) => ({
    type: 'response.output_item.added',
    output_index: at,
    item: { type: 'function_call', id: `i${at}` },
  }),
}
const PIECES: Readonly<Record<Api, object>> = {
  chat: { choices: [{ delta: { content: 'A few words.' } }] },
  messages: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A few words.' } },
  responses: { type: 'response.output_text.delta', item_id: 'i0', output_index: 0, delta: 'A few words.' },
}

describe.each(APIS)('%s', (api) => {
  const texts = (count: number, event: (at: number) => object): Uint8Array =>
    new TextEncoder().encode(
      Array.from({ length: count }, (_, at) => `data: ${JSON.stringify(event(at))}\n\n`).join(''),
    )
  const read = (bytes: Uint8Array): void => {
    const events = createEventReader()
    const reader = createReplyReader(api, { holdsCall: () => false })
    for (const event of [...events.push(bytes), ...events.end()]) reader.add(event)
    reader.end()
  }
  const [pieces, calls, twice] = [
    texts(10_000, () => PIECES[api]),
    texts(10_000, OPENS[api]),
    texts(20_000, OPENS[api]),
  ] as const

  bench('JSON.parse of 10 000 events', () => {
    const events = createEventReader()
    for (const { data } of [...events.push(pieces), ...events.end()]) JSON.parse(data)
  })
  bench('10 000 pieces of text', () => read(pieces))
  bench('10 000 calls', () => read(calls))
  bench('20 000 calls', () => read(twice))
})
