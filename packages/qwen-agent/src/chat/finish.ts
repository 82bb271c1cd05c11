import { FNCALL_FUNCTIONS, postprocessStopWords, typeAndValue, toMultimodal, toText } from '@callspec/core/reference'
import { formats } from '@callspec/core/qwen-agent'
import type { Message } from '@callspec/core/qwen-agent'
import { str, truthy, Raise } from '@callspec/python'
import { stopWordsOf } from '../merge-generate-cfg.ts'
import type { PreparedChat } from './prepare.ts'

/** Of the words that the formats and the agents stop at. */
const PARTIAL_STOP_WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.values(formats).flatMap(({ stops }) => [...(stops.partials ?? [])]),
  // Where the keyword agent stops (spec §13.2).
  ['"], "instruction":', '"], "instruction'],
])

/**
 * What the chat call emits for one reply of the client: the complete reply, or, when streaming, one cumulative list
 * (spec §8.5). Every list is processed from scratch.
 *
 * @returns null for a list that is not emitted: an empty one while streaming
 * @throws Raise whatever the reference raises while reading the reply
 */
export function finishReply(prepared: PreparedChat, reply: readonly Message[]): readonly Message[] | null {
  if (prepared.rawApi) return reply
  const messages = readCalls(cutAtStopWords(reply, prepared), prepared)
  if (messages.length === 0 && prepared.stream) return null
  return messages.map((message) => asText(message, prepared))
}

function cutAtStopWords(reply: readonly Message[], { model, replyCfg, deltaStream }: PreparedChat): readonly Message[] {
  const { profile, tokenizer } = model
  const messages = reply.map((message) =>
    toMultimodal(message, {
      profile,
      addUpload: false,
      addMultimodalUpload: false,
      addAudioUpload: false,
      language: 'auto',
    }),
  )
  // A delta is no text that could end with part of a stop word.
  if (deltaStream || truthy(replyCfg.get('skip_stopword_postproc'))) return messages
  return postprocessStopWords(messages, {
    stop: stopWordsOf(replyCfg),
    partials: PARTIAL_STOP_WORDS,
    tokenizer,
    profile,
  })
}

function readCalls(messages: readonly Message[], { model, replyCfg, callsTools }: PreparedChat): readonly Message[] {
  if (!callsTools) return messages
  return FNCALL_FUNCTIONS[model.promptType].postprocess({
    messages,
    parallelFunctionCalls: truthy(replyCfg.get('parallel_function_calls')),
    functionChoice: str(replyCfg.get('function_choice') ?? 'auto'),
    codeMode: model.codeMode,
    thoughtInContent: truthy(replyCfg.get('thought_in_content')),
    profile: model.profile,
  })
}

/** As in the reference: a service that answers in text must not have given anything else. */
function asText(message: Message, { model }: PreparedChat): Message {
  const { content } = message
  if (typeof content !== 'string' && content.some((item) => typeAndValue(item).type !== 'text')) {
    throw new Raise('AssertionError', '')
  }
  return toText(message, { profile: model.profile, addUpload: false, language: 'auto' })
}
