import { readReply, readRequest, writeRequest } from '@callspec/apis'
import type { Api, ApiItem, ApiReply } from '@callspec/apis'
import { dumps, isDict, loads } from '@callspec/python'

type Fetch = typeof globalThis.fetch

/**
 * A server of chat completions as one that has messages and responses too: it asks the chat in the form of chat, and says the reply in the
 * form of the API, whole or streamed in pieces of seven units.
 */
export function withOtherApis(fetch: Fetch): Fetch {
  return async (url, init = {}) => {
    const [, api] = /\/(messages|responses)$/.exec(String(url)) ?? []
    if (api !== 'messages' && api !== 'responses') return fetch(url, init)
    const body = loads(typeof init.body === 'string' ? init.body : '{}')
    if (!isDict(body)) throw new Error('the request is no map')
    const others = new Map([...body].filter(([name]) => OTHERS.has(name)))
    const chat = writeRequest(readRequest(body, api), 'chat', {
      model: String(body.get('model')),
      stream: false,
      others,
    })
    const answer = await fetch(String(url).replace(/(?:messages|responses)$/, 'chat/completions'), {
      ...init,
      body: dumps(chat),
    })
    if (!answer.ok) return answer
    const reply = readReply(await answer.text(), 'chat', { holdsCall: () => false })
    if (body.get('stream') !== true) return Response.json(WHOLE[api](reply))
    const events = STREAMED[api](reply).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }
}

const OTHERS = new Set(['temperature', 'top_p'])

type OtherApi = Exclude<Api, 'chat'>
type SentEvent = Readonly<Record<string, unknown>> & { readonly type: string }

const STOPS: Readonly<Record<string, string>> = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' }

const WHOLE: Readonly<Record<OtherApi, (reply: ApiReply) => object>> = {
  messages: (reply) => ({
    ...{ id: 'msg', type: 'message', model: reply.model, content: reply.items.map(blockOf), stop_sequence: null },
    ...{ stop_reason: STOPS[reply.finish ?? ''] ?? reply.finish, usage: countsOf(reply) },
  }),
  responses: responseOf,
}

function countsOf({ usage }: ApiReply): object {
  return { input_tokens: usage?.input ?? 0, output_tokens: usage?.output ?? 0 }
}

function blockOf(item: ApiItem): object {
  if (item.kind === 'text') return { type: 'text', text: item.text }
  if (item.kind === 'reasoning') return { type: 'thinking', thinking: item.text, signature: 's' }
  return { type: 'tool_use', id: item.id, name: item.name, input: JSON.parse(item.arguments) as unknown }
}

function outputOf(item: ApiItem, at: number): object {
  const common = { id: `item_${at}`, status: 'completed' }
  if (item.kind === 'call')
    return { ...common, type: 'function_call', call_id: item.id, name: item.name, arguments: item.arguments }
  const type = item.kind === 'text' ? 'output_text' : 'reasoning_text'
  return { ...common, type: item.kind === 'text' ? 'message' : 'reasoning', content: [{ type, text: item.text }] }
}

function responseOf(reply: ApiReply): object {
  const isCut = reply.finish === 'length'
  return {
    ...{ id: 'resp', object: 'response', model: reply.model, status: isCut ? 'incomplete' : 'completed' },
    ...{ incomplete_details: isCut ? { reason: 'max_output_tokens' } : null },
    ...{ output: reply.items.map(outputOf), usage: countsOf(reply) },
  }
}

function pieces(text: string): readonly string[] {
  return text.match(/[^]{1,7}/gu) ?? []
}

const STREAMED: Readonly<Record<OtherApi, (reply: ApiReply) => readonly SentEvent[]>> = {
  messages: (reply) => [
    {
      type: 'message_start',
      message: { id: 'msg', model: reply.model, content: [], stop_reason: null, usage: { input_tokens: 1 } },
    },
    ...reply.items.flatMap((item, index) => [
      { type: 'content_block_start', index, content_block: emptyBlock(item) },
      ...pieces(item.kind === 'call' ? item.arguments : item.text).map((piece) => {
        return { type: 'content_block_delta', index, delta: deltaOf(item, piece) }
      }),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: STOPS[reply.finish ?? ''] ?? reply.finish },
      usage: countsOf(reply),
    },
    { type: 'message_stop' },
  ],
  responses: (reply) => {
    const end = responseOf(reply)
    const events: SentEvent[] = [
      { type: 'response.created', response: { ...end, status: 'in_progress', output: [] } },
      ...reply.items.flatMap((item, at) => itemEvents(item, at)),
      { type: reply.finish === 'length' ? 'response.incomplete' : 'response.completed', response: end },
    ]
    return events.map((event, at) => ({ ...event, sequence_number: at }))
  },
}

function emptyBlock(item: ApiItem): object {
  if (item.kind === 'call') return { type: 'tool_use', id: item.id, name: item.name, input: {} }
  return item.kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: 's' }
}

function deltaOf(item: ApiItem, piece: string): object {
  if (item.kind === 'call') return { type: 'input_json_delta', partial_json: piece }
  return item.kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece }
}

function itemEvents(item: ApiItem, at: number): readonly SentEvent[] {
  const done = outputOf(item, at)
  const place = { item_id: `item_${at}`, output_index: at }
  const added = { ...done, ...(item.kind === 'call' ? { arguments: '' } : { content: [] }) }
  const name =
    item.kind === 'call' ? 'function_call_arguments' : item.kind === 'text' ? 'output_text' : 'reasoning_text'
  const text = item.kind === 'call' ? item.arguments : item.text
  const part = item.kind === 'call' ? [] : [{ type: 'response.content_part', ...place, content_index: 0 }]
  return [
    { type: 'response.output_item.added', output_index: at, item: added },
    ...part.map((event) => ({ ...event, type: 'response.content_part.added' })),
    ...pieces(text).map((delta) => ({ type: `response.${name}.delta`, ...place, content_index: 0, delta })),
    { type: `response.${name}.done`, ...place, content_index: 0, text, arguments: text },
    ...part.map((event) => ({ ...event, type: 'response.content_part.done' })),
    { type: 'response.output_item.done', output_index: at, item: done },
  ]
}
