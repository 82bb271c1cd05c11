import { FNCALL_FUNCTIONS, typeAndValue, toMultimodal, removeFncallMessages } from '@callspec/core/reference'
import type { ItemMessage, Message, ToolDefinition } from '@callspec/core/qwen-agent'
import { str, truthy, Raise } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { validateFncallResults } from '../validate-fncall-results.ts'
import type { ChatModel } from './model.ts'

/** What a history is preprocessed for. */
export interface Preprocessing {
  readonly model: ChatModel
  readonly cfg: PyDict
  readonly functions: readonly ToolDefinition[]
  readonly language: 'en' | 'zh'
}

/**
 * The history as the format sends it: uploads named, calls and results written into the text, as calls or, without tools,
 * as sentences (spec §8.2 step 8). A null is a message that truncation could not cut.
 *
 * @throws Raise what conversion, validation and the format raise
 */
export function preprocess(messages: readonly (Message | null)[], options: Preprocessing): readonly ItemMessage[] {
  const { model, cfg, functions, language } = options
  const { profile } = model
  const hasTools = functions.length > 0
  const items = messages.map((message) => {
    // As in the reference: a message that truncation could not cut is None in the list.
    if (message === null) throw new Raise('AttributeError', "'NoneType' object has no attribute 'role'")
    return toMultimodal(message, {
      profile,
      addUpload: true,
      addMultimodalUpload: hasTools || (profile.notesImagesForTextModels && !model.multimodal),
      addAudioUpload: hasTools || !model.audio,
      language,
    })
  })
  if (model.rawApi) return items
  const choice = cfg.get('function_choice') ?? 'auto'
  const removesCalls = choice === 'none' || (!hasTools && !profile.convertsWithoutTools)
  if (removesCalls) return removeFncallMessages(items, { language, profile })
  if (profile.validatesCallResults) validateFncallResults(items, { profile, multimodal: model.multimodal })
  // As in the reference: where that check does not look at the items of results, the conversion does.
  if (!profile.validatesResultItems && !model.multimodal) refuseResultsOfItems(items)
  return FNCALL_FUNCTIONS[model.promptType].preprocess({
    messages: items,
    functions,
    lang: language,
    parallelFunctionCalls: truthy(cfg.get('parallel_function_calls')),
    functionChoice: str(choice),
    codeMode: model.codeMode,
    profile,
  })
}

/**
 * As in the reference: up to v0.0.7 a forced call is text. It cannot be joined with the items that a client for images keeps,
 * neither those of an answer before it nor those of the user message before it.
 *
 * @throws Raise `AttributeError`, `NotImplementedError` or `AssertionError`, by the kind of the last message
 */
export function refuseForcedItems(messages: readonly (Message | null)[], options: Preprocessing): void {
  const { profile, multimodal } = options.model
  if (!multimodal || profile.partsForcedCall !== 'always') return
  const unforced = new Map(options.cfg).set('function_choice', 'auto')
  const { role } = preprocess(messages, { ...options, cfg: unforced }).at(-1) ?? { role: 'system' }
  if (role === 'assistant') throw new Raise('AttributeError', "'list' object has no attribute 'endswith'")
  throw new Raise(role === 'user' ? 'NotImplementedError' : 'AssertionError', '')
}

function refuseResultsOfItems(messages: readonly ItemMessage[]): void {
  const results = messages.filter((message) => message.role === 'function')
  if (results.some(({ content }) => content.some((item) => typeAndValue(item).type !== 'text'))) {
    throw new Raise('AssertionError', '')
  }
}
