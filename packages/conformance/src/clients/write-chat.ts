import { projected } from '@callspec/apis'
import type { Json, JsonMap, SaidReply, StreamEvent } from './client-stream.ts'
import { pieces } from './client-stream.ts'

/** A chunk with one delta. */
export function chatChunk(delta: JsonMap, finish: string | null = null): StreamEvent {
  return { name: '', data: chunkWith([{ index: 0, delta, logprobs: null, finish_reason: finish }]) }
}

/** A chunk with these choices. */
export function chunkWith(choices: readonly Json[], more: JsonMap = {}): JsonMap {
  return { ...HEAD, choices, ...more }
}

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'callspec' }

/** The end of a stream of chat. */
export const DONE_EVENT: StreamEvent = { raw: 'data: [DONE]\n\n' }

/** A reply as a stream of `/v1/chat/completions`, as OpenAI writes it: reasoning, text, calls; texts in pieces of `size` characters. */
export function writeChat({ items, finish, usage }: SaidReply, size: number): readonly StreamEvent[] {
  const { reasoning, text, calls } = projected(items)
  const [input, output] = [usage.input ?? 0, usage.output ?? 0]
  const counts = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...pieces(reasoning, size).map((piece) => chatChunk({ reasoning_content: piece })),
    ...pieces(text, size).map((piece) => chatChunk({ content: piece })),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      callChunk({ index, id, type: 'function', function: { name, arguments: '' } }),
      ...pieces(args, size).map((piece) => callChunk({ index, function: { arguments: piece } })),
    ]),
    chatChunk({}, finish === 'stop_sequence' ? 'stop' : finish),
    { name: '', data: chunkWith([], { usage: counts }) },
    DONE_EVENT,
  ]
}

function callChunk(...calls: readonly JsonMap[]): StreamEvent {
  return chatChunk({ tool_calls: calls })
}
