import type { Content, ItemMessage, Message } from '../messages/message.ts'
import type { PostprocessRequest, PreprocessRequest } from '../format.ts'
import { nousPostprocessFncallMessages } from './nous/parse.ts'
import { nousPreprocessFncallMessages } from './nous/render.ts'
import { qwenPostprocessFncallMessages } from './qwen/parse.ts'
import { qwenPreprocessFncallMessages } from './qwen/render.ts'

/** The two functions that the reference has for a `fncall_prompt_type`; both raise as it does. */
export interface FncallFunctions {
  readonly preprocess: (request: PreprocessRequest) => readonly ItemMessage[]
  readonly postprocess: (request: PostprocessRequest) => readonly Message[]
}

/** What `fncall_prompt_type` chooses from: the formats that the function-calling agent of the reference knows. */
export const FNCALL_FUNCTIONS: Readonly<Record<FncallName, FncallFunctions>> = {
  qwen: { preprocess: qwenPreprocessFncallMessages, postprocess: qwenPostprocessFncallMessages },
  nous: { preprocess: nousPreprocessFncallMessages, postprocess: nousPostprocessFncallMessages },
}

/**
 * The call of a message, as `Agent._detect_tool(message)` of the reference gives it: whether there is one, its name, its
 * arguments, and the content of the message.
 */
export function detectCall({ function_call: call, content }: Message): DetectedCall {
  return call ? [true, call.name, call.arguments, content] : [false, null, null, content]
}

/** What `detectCall` gives; without a call name and arguments are null. */
export type DetectedCall =
  | readonly [hasCall: true, name: string, args: string, content: Content]
  | readonly [hasCall: false, name: null, args: null, content: Content]

/** A value of `fncall_prompt_type`. */
export type FncallName = 'qwen' | 'nous'

/** Whether the function-calling agent of the reference knows the format of that id. */
export function isFncallName(id: unknown): id is FncallName {
  return typeof id === 'string' && Object.hasOwn(FNCALL_FUNCTIONS, id)
}
