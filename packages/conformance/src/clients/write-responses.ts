import type { ApiItem } from '@callspec/apis'
import type { Json, JsonMap, SaidReply, StreamEvent } from './client-stream.ts'
import { pieces, withValue } from './client-stream.ts'
import { typedEvent } from './write-messages.ts'

/** Gives events of responses the sequence numbers of their places. */
export function numbered(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.map((event, at) =>
    'raw' in event ? event : { ...event, data: withValue(event.data, ['sequence_number'], at) },
  )
}

/** A reply as a stream of `/v1/responses`, as OpenAI writes it: texts in pieces of `size` characters. */
export function writeResponses({ items, finish, usage }: SaidReply, size: number): readonly StreamEvent[] {
  const isCut = finish === 'length'
  const [input, output] = [usage.input ?? 0, usage.output ?? 0]
  const counts = {
    ...{ input_tokens: input, input_tokens_details: { cached_tokens: 0 }, output_tokens: output },
    ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + output },
  }
  const written = items.map((item, at) => writtenItem(item, { at, size, isCut: isCut && at === items.length - 1 }))
  const begun = responseOf({ status: 'in_progress' })
  const ended = responseOf({
    ...{ status: isCut ? 'incomplete' : 'completed', output: written.map(({ item }) => item), usage: counts },
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
  })
  return numbered([
    typedEvent('response.created', { response: begun }),
    typedEvent('response.in_progress', { response: begun }),
    ...written.flatMap(({ events }) => events),
    typedEvent(isCut ? 'response.incomplete' : 'response.completed', { response: ended }),
  ])
}

/** A response with its required members. */
export function responseOf(more: JsonMap): JsonMap {
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, status: 'completed', error: null },
    ...{ incomplete_details: null, instructions: null, max_output_tokens: null, model: 'callspec', output: [] },
    ...{ parallel_tool_calls: true, previous_response_id: null, temperature: 1, text: { format: { type: 'text' } } },
    ...{ tool_choice: 'auto', tools: [], top_p: 1, truncation: 'disabled', usage: null, metadata: {} },
    ...more,
  }
}

interface WrittenItem {
  readonly item: JsonMap
  readonly events: readonly StreamEvent[]
}

interface ItemPlace {
  readonly at: number
  readonly size: number
  readonly isCut: boolean
}

function writtenItem(item: ApiItem, place: ItemPlace): WrittenItem {
  if (item.kind === 'call') return writtenCall(item, place)
  return item.kind === 'text' ? writtenText(item.text, place) : writtenThought(item.text, place)
}

function writtenCall(call: Extract<ApiItem, { readonly kind: 'call' }>, { at, size, isCut }: ItemPlace): WrittenItem {
  const place = { item_id: `fc_${at}`, output_index: at }
  const open = {
    ...{ id: place.item_id, type: 'function_call', status: 'in_progress' },
    ...{ call_id: call.id, name: call.name, arguments: '' },
  }
  const item = { ...open, status: isCut ? 'incomplete' : 'completed', arguments: call.arguments }
  const type = 'response.function_call_arguments'
  const inside = [
    ...pieces(call.arguments, size).map((delta) => typedEvent(`${type}.delta`, { ...place, delta })),
    typedEvent(`${type}.done`, { ...place, name: call.name, arguments: call.arguments }),
  ]
  return { item, events: surrounded({ at, open, item, inside }) }
}

function writtenText(text: string, { at, size, isCut }: ItemPlace): WrittenItem {
  const open = { id: `msg_${at}`, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const place = { item_id: open.id, output_index: at, content_index: 0 }
  const part = (said: string): JsonMap => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })
  const item = { ...open, status: isCut ? 'incomplete' : 'completed', content: [part(text)] }
  const inside = [
    typedEvent('response.content_part.added', { ...place, part: part('') }),
    ...pieces(text, size).map((delta) => typedEvent('response.output_text.delta', { ...place, delta, logprobs: [] })),
    typedEvent('response.output_text.done', { ...place, text, logprobs: [] }),
    typedEvent('response.content_part.done', { ...place, part: part(text) }),
  ]
  return { item, events: surrounded({ at, open, item, inside }) }
}

function writtenThought(text: string, { at, size }: ItemPlace): WrittenItem {
  const open: JsonMap = { id: `rs_${at}`, type: 'reasoning', summary: [] }
  const place = { item_id: `rs_${at}`, output_index: at, summary_index: 0 }
  const part = (said: string): JsonMap => ({ type: 'summary_text', text: said })
  const item = { ...open, summary: [part(text)] }
  const type = 'response.reasoning_summary'
  const inside = [
    typedEvent(`${type}_part.added`, { ...place, part: part('') }),
    ...pieces(text, size).map((delta) => typedEvent(`${type}_text.delta`, { ...place, delta })),
    typedEvent(`${type}_text.done`, { ...place, text }),
    typedEvent(`${type}_part.done`, { ...place, part: part(text) }),
  ]
  return { item, events: surrounded({ at, open, item, inside }) }
}

interface Surrounding {
  readonly at: number
  readonly open: Json
  readonly item: Json
  readonly inside: readonly StreamEvent[]
}

function surrounded({ at, open, item, inside }: Surrounding): readonly StreamEvent[] {
  return [
    typedEvent('response.output_item.added', { output_index: at, item: open }),
    ...inside,
    typedEvent('response.output_item.done', { output_index: at, item }),
  ]
}
