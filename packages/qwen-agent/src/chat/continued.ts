import type { Message } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'
import { renderChatML } from '../chatml.ts'
import { mergeContinuation } from '../continuation.ts'
import type { ChatModel } from './model.ts'

/**
 * How a model is asked to go on with an answer that has begun (spec §8.4): not at all, by merging the answer into the
 * user message before it, by marking the last message as partial, or by completing a ChatML text.
 */
export type Continuation =
  | { readonly kind: 'none' }
  | { readonly kind: 'merged' }
  | { readonly kind: 'partial-message' }
  | { readonly kind: 'raw-prompt'; readonly prompt: string }

export interface ContinuedChat {
  readonly serviceMessages: readonly Message[]
  readonly continuation: Continuation
}

const DELTAS_WITH_TOOLS =
  'Please use stream=True with delta_stream=False, because delta_stream=True is not implemented for function calling due to some technical reasons.'
const DELTAS_IN_CONTINUATION = 'Continuation mode does not currently support `delta_stream`'

/**
 * The messages for the client, an answer at the end made ready for continuation.
 *
 * @throws Raise for a delta stream with tools or with an answer at the end, and what `mergeContinuation` refuses
 */
export function continued(
  messages: readonly Message[],
  options: { readonly model: ChatModel; readonly callsTools: boolean; readonly deltaStream: boolean },
): ContinuedChat {
  const { model, callsTools, deltaStream } = options
  const { profile, client } = model
  if (callsTools && deltaStream) throw new Raise('NotImplementedError', DELTAS_WITH_TOOLS)
  const endsWithAnswer = messages.at(-1)?.role === 'assistant'
  if (!endsWithAnswer || (!callsTools && profile.continuation === 'with-tools-only')) {
    return { serviceMessages: messages, continuation: { kind: 'none' } }
  }
  if (deltaStream) throw new Raise('AssertionError', DELTAS_IN_CONTINUATION)
  if (client === 'openai') return { serviceMessages: mergeContinuation(messages), continuation: { kind: 'merged' } }
  if (profile.dashscopeContinuation === 'partial-message') {
    return { serviceMessages: messages, continuation: { kind: 'partial-message' } }
  }
  const prompt = renderChatML(messages, { profile, defaultSystem: model.defaultSystemMessage })
  return { serviceMessages: messages, continuation: { kind: 'raw-prompt', prompt } }
}
