import type { ItemMessage, Message } from '../messages/message.ts'
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

/** A value of `fncall_prompt_type`. */
export type FncallName = 'qwen' | 'nous'

/** Whether the function-calling agent of the reference knows the format of that id. */
export function isFncallName(id: unknown): id is FncallName {
  return typeof id === 'string' && Object.hasOwn(FNCALL_FUNCTIONS, id)
}
