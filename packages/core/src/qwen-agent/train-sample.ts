import { qwenPreprocessFncallMessages } from '../formats/qwen/render.ts'
import type { ContentItem, ItemMessage, TextMessage, ToolDefinition } from '../message.ts'
import type { Profile } from '../profile.ts'
import { Raise } from '../raise.ts'
import { textOf } from './content-item.ts'
import { detectLanguage } from './message-language.ts'

/** A conversation to be rendered as training data. */
export interface TrainSampleRequest {
  /** In multimodal form (spec §4.1). */
  readonly messages: readonly ItemMessage[]
  readonly functions: readonly ToolDefinition[]
  readonly lang: 'auto' | 'en' | 'zh'
  readonly parallelFunctionCalls: boolean
  readonly profile: Profile
}

/**
 * A conversation as a training sample of the ✿ format: the prompt with role and text only (spec §6.2).
 *
 * @throws Raise `ValueError` for parallel calls or results in a sample that does not allow them, `NotImplementedError`
 *   for results with other items than text, and the errors of `qwenPreprocessFncallMessages`
 */
export function renderTrainSample(request: TrainSampleRequest): readonly TextMessage[] {
  const { messages, functions, lang, parallelFunctionCalls, profile } = request
  if (!parallelFunctionCalls && messages.some((message, index) => isParallel(message, messages[index + 1]))) {
    throw new Raise('ValueError', 'This sample requires parallel_function_calls=True.')
  }
  if (messages.some((message) => message.role === 'function' && !message.content.every(isText))) {
    throw new Raise('NotImplementedError', 'Support for multimodal samples not implemented yet.')
  }
  const prompt = qwenPreprocessFncallMessages({
    messages,
    functions,
    lang: lang === 'auto' ? detectLanguage(messages) : lang,
    parallelFunctionCalls,
    profile,
  })
  return prompt.map(({ role, content }) => ({ role, content: textOf(content) }))
}

function isParallel(message: ItemMessage, next: ItemMessage | undefined): boolean {
  if (next === undefined) return false
  if (message.function_call && next.function_call) return true
  return message.role === 'function' && next.role === 'function'
}

function isText(item: ContentItem): boolean {
  return typeof item.text === 'string'
}
