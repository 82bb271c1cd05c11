import { createChatModel } from '@callspec/qwen-agent/reference'
import { readMessage } from '@callspec/core/reference'
import type { ChatModel } from '@callspec/qwen-agent'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'
import type { OperationContext } from './operation.ts'
import { flag, list, optionalDict } from './read.ts'

/** Messages as the reference's agents convert maps; a message that it refuses is a raise. */
export function readConversation(input: PyDict, key: string, profile: Profile): readonly Message[] {
  return list(input, key).map((message) => readMessage(message, profile))
}

/** The model of a case: OpenAI-style, configured by `cfg`. */
export function readModel(input: PyDict, { profile, tokenizer }: OperationContext): ChatModel {
  return createChatModel({
    profile,
    tokenizer,
    cfg: optionalDict(input, 'cfg'),
    multimodal: flag(input, 'multimodal'),
    codeMode: flag(input, 'special_code_mode'),
  })
}
