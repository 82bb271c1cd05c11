import type { StreamOptions } from '@callspec/core/qwen-agent'
import { InputError } from '@callspec/python'
import { addStates, extractedState } from './extract-state.ts'
import type { ExtractedState } from './extract-state.ts'

/** `extractState` with memory: takes an answer in chunks and says at any time what it means so far. */
export interface StateParser {
  /** Takes the next chunk; it may be cut anywhere. O(chunk). */
  readonly push: (chunk: string) => void
  /** Exactly what `extractState` gives for everything pushed so far. O(1). */
  readonly snapshot: () => ExtractedState
}

/** A parser for an answer to the state prompt that arrives in chunks. Keeps the digits that it found, and no text. */
export function createStateParser({ onExamined }: Pick<StreamOptions, 'onExamined'> = {}): StateParser {
  const found = new Set<string>()
  let before = ''
  return {
    push: (chunk) => {
      if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
      onExamined?.(chunk.length)
      addStates(found, chunk, before)
      if (chunk !== '') before = chunk.charAt(chunk.length - 1)
    },
    // `extractState` strips the answer first. No digit and no `-` is white space, so that makes no difference.
    snapshot: () => extractedState(found),
  }
}
