import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { PyDict, Outcome } from '@callspec/python'
import type { ChatModel, ChatModelOptions } from '../chat/model.ts'
import type { ChatRequest, PreparedChat } from '../chat/prepare.ts'
import type { ReplyChunk } from '../chat/replies.ts'
import type { WireRequest } from '../chat/wire-request.ts'
import { attempt } from '@callspec/python'
import * as reference from '../reference.ts'
import { checkProfile, givenMessages, givenTools } from '@callspec/core/reference'

/**
 * A chat model built from its configuration (spec §8.1).
 *
 * @throws InputError for a configuration of the wrong type, naming the key
 */
export function createChatModel(options: ChatModelOptions): Outcome<ChatModel> {
  checkProfile(options.profile)
  return attempt(() => reference.createChatModel(options))
}

/** The parameters of one call: those of the model, overlaid with those of the call (spec §8.2). */
export function mergeGenerateCfg(base: PyDict | null, extra: PyDict | null): Outcome<PyDict> {
  return attempt(() => reference.mergeGenerateCfg(base, extra))
}

/**
 * What goes to the service for a chat call (spec §8.2).
 *
 * @throws InputError for messages and tools of the wrong form, naming index and field
 */
export function prepareChat(model: ChatModel, request: ChatRequest): Outcome<PreparedChat> {
  const messages = givenMessages(request.messages, model.profile)
  const functions = givenTools(request.functions ?? [])
  return attempt(() => reference.prepareChat(model, { ...request, messages, functions }))
}

/**
 * What the chat call emits for one reply of the client: the complete reply, or, when streaming, one cumulative list
 * (spec §8.5). Null stands for a list that is not emitted: an empty one while streaming.
 */
export function finishReply(prepared: PreparedChat, reply: readonly Message[]): Outcome<readonly Message[] | null> {
  const given = givenMessages(reply, prepared.model.profile, 'reply')
  return attempt(() => reference.finishReply(prepared, given))
}

/**
 * The message lists that the OpenAI-style client of the reference yields for a streamed reply, one per chunk, each with
 * everything so far (spec §8.8). A raise is the last that is yielded.
 */
export function* openAiReplies(
  chunks: Iterable<ReplyChunk>,
  profile: Profile,
): Generator<Outcome<readonly Message[]>, undefined> {
  checkProfile(profile)
  const replies = reference.openAiReplies(chunks, profile)
  for (;;) {
    const next = attempt(() => replies.next())
    if (next.kind === 'raised') {
      yield next
      return
    }
    if (next.value.done === true) return
    yield { kind: 'returned', value: next.value.value }
  }
}

/** The messages as they stand in the body of an OpenAI-style request (spec §8.8). */
export function toWireMessages(
  messages: readonly Message[],
  profile: Profile,
  defaultSystemMessage: string = profile.defaultSystemMessage,
): Outcome<readonly PyDict[]> {
  const given = givenMessages(messages, profile)
  return attempt(() => reference.toWireMessages(given, profile, defaultSystemMessage))
}

/** The request that the OpenAI-style client of the reference makes of a prepared chat call (spec §8.8). */
export function wireRequest(prepared: PreparedChat): Outcome<WireRequest> {
  return attempt(() => reference.wireRequest(prepared))
}
