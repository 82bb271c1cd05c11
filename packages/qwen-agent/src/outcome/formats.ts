import { checkLanguage, givenMessages, givenTools } from '@callspec/core/reference'
import type { Message, TextMessage } from '@callspec/core/qwen-agent'
import { attempt } from '@callspec/python'
import type { Outcome } from '@callspec/python'
import type { ChatMLOptions } from '../chatml.ts'
import * as reference from '../reference.ts'
import type { TrainSampleRequest } from '../train-sample.ts'

/** The messages as one text that ends where the assistant goes on (spec §14, `build_text_completion_prompt`). */
export function renderChatML(messages: readonly Message[], options: ChatMLOptions): Outcome<string> {
  const given = givenMessages(messages, options.profile)
  return attempt(() => reference.renderChatML(given, options))
}

/** A conversation as a training sample of the ✿ format: the prompt with role and text only (spec §6.2). */
export function renderTrainSample(request: TrainSampleRequest): Outcome<readonly TextMessage[]> {
  const messages = givenMessages(request.messages, request.profile)
  const functions = givenTools(request.functions)
  if (request.lang !== 'auto') checkLanguage(request.lang, 'lang')
  return attempt(() => reference.renderTrainSample({ ...request, messages, functions }))
}
