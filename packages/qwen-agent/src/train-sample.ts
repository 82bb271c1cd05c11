import { qwenPreprocessFncallMessages, textOf, typeAndValue, toMultimodal } from '@callspec/core/reference'
import type { ItemMessage, Message, TextMessage, ToolDefinition, Profile } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'
import { detectLanguage } from '@callspec/core/qwen-agent'

/** A conversation to be rendered as training data. */
export interface TrainSampleRequest {
  readonly messages: readonly Message[]
  readonly functions: readonly ToolDefinition[]
  /** Default `auto`, as in the reference. */
  readonly lang?: 'auto' | 'en' | 'zh'
  /** Default true, as in the reference. */
  readonly parallelFunctionCalls?: boolean
  readonly profile: Profile
}

/**
 * A conversation as a training sample of the ✿ format: the prompt with role and text only (spec §6.2). Files become
 * upload notes.
 *
 * @throws Raise `ValueError` for parallel calls or results in a sample that does not allow them, `NotImplementedError`
 *   for other items than texts and files, and the errors of `qwenPreprocessFncallMessages`
 */
export function renderTrainSample(request: TrainSampleRequest): readonly TextMessage[] {
  const { messages, functions, lang: asked = 'auto', parallelFunctionCalls = true, profile } = request
  const lang = asked === 'auto' ? detectLanguage(messages) : asked
  if (!parallelFunctionCalls && messages.some((message, index) => isParallel(message, messages[index + 1]))) {
    throw new Raise('ValueError', 'This sample requires parallel_function_calls=True.')
  }
  const withItems = messages.map((message) =>
    toMultimodal(message, {
      profile,
      addUpload: true,
      addMultimodalUpload: true,
      addAudioUpload: true,
      language: lang,
    }),
  )
  if (!withItems.every(hasTextsOnly)) {
    throw new Raise('NotImplementedError', 'Support for multimodal samples not implemented yet.')
  }
  const prompt = qwenPreprocessFncallMessages({ messages: withItems, functions, lang, parallelFunctionCalls, profile })
  return prompt.map(({ role, content }) => ({ role, content: textOf(content) }))
}

function isParallel(message: Message, next: Message | undefined): boolean {
  if (next === undefined) return false
  if (message.function_call && next.function_call) return true
  return message.role === 'function' && next.role === 'function'
}

function hasTextsOnly({ content }: ItemMessage): boolean {
  return content.every((item) => typeAndValue(item).type === 'text')
}
