import type { ApiItem } from '@callspec/apis'
import type { JsonMap, SaidReply, StreamEvent } from './client-stream.ts'
import { pieces } from './client-stream.ts'

/** An event whose name is the type in its data. */
export function typedEvent(type: string, more: JsonMap = {}): StreamEvent {
  return { name: type, data: { type, ...more } }
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
}

/** The stop word of replies that end at one. */
const STOP_WORD = 'END'

/** A reply as a stream of `/v1/messages`, as Anthropic writes it: texts in pieces of `size` characters. */
export function writeMessages({ items, finish, usage }: SaidReply, size: number): readonly StreamEvent[] {
  const { input, output } = { input: usage.input ?? 0, output: usage.output ?? 0 }
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'callspec', content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
  }
  const word = finish === 'stop_sequence' ? STOP_WORD : null
  const delta = { stop_reason: STOP_REASONS[finish] ?? finish, stop_sequence: word }
  return [
    typedEvent('message_start', { message }),
    ...items.flatMap((item, index) => blockOf(item, index, size)),
    typedEvent('message_delta', { delta, usage: { output_tokens: output } }),
    typedEvent('message_stop'),
  ]
}

function blockOf(item: ApiItem, index: number, size: number): readonly StreamEvent[] {
  const delta = (given: JsonMap): StreamEvent => typedEvent('content_block_delta', { index, delta: given })
  return [
    typedEvent('content_block_start', { index, content_block: startOf(item) }),
    ...deltasOf(item, size).map(delta),
    typedEvent('content_block_stop', { index }),
  ]
}

function startOf(item: ApiItem): JsonMap {
  if (item.kind === 'text') return { type: 'text', text: '' }
  if (item.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' }
  return { type: 'tool_use', id: item.id, name: item.name, input: {} }
}

function deltasOf(item: ApiItem, size: number): readonly JsonMap[] {
  if (item.kind === 'text') return pieces(item.text, size).map((text) => ({ type: 'text_delta', text }))
  if (item.kind === 'reasoning') {
    const thoughts = pieces(item.text, size).map((thinking) => ({ type: 'thinking_delta', thinking }))
    return [...thoughts, { type: 'signature_delta', signature: 'c2lnbmVk' }]
  }
  return ['', ...pieces(item.arguments, size)].map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
}
