import type { Message } from '../../message.ts'
import { attempt } from '../../raise.ts'
import type { Outcome } from '../../raise.ts'
import { finishReply } from './finish.ts'
import { createChatModel } from './model.ts'
import type { ChatModelOptions } from './model.ts'
import { prepareChat } from './prepare.ts'
import type { ChatRequest, PreparedChat } from './prepare.ts'
import { wireRequest } from './wire-request.ts'
import type { WireRequest } from './wire-request.ts'

/** One chat call, between the application and the service. */
export interface ChatCall {
  readonly prepared: PreparedChat
  /** What goes into the body of an OpenAI-style request. */
  readonly request: WireRequest
  /** What is emitted for one (cumulative) reply of the client, or null if nothing is; never throws. */
  readonly finish: (reply: readonly Message[]) => Outcome<readonly Message[] | null>
}

/**
 * Makes one chat call ready to be sent (spec §8). Everything that the reference raises on the way, and later while a
 * reply is read, is an outcome. Replies in the form of the client come from `openAiReplies` and `openAiReply`.
 *
 * @throws InputError for a model configuration of the wrong type
 */
export function openChatCall(options: ChatModelOptions, request: ChatRequest): Outcome<ChatCall> {
  return attempt(() => {
    const prepared = prepareChat(createChatModel(options), request)
    return {
      prepared,
      request: wireRequest(prepared),
      finish: (reply: readonly Message[]) => attempt(() => finishReply(prepared, reply)),
    }
  })
}
