import { finishOf } from '../trace/completion.ts'
import type { TurnLine } from '../trace/trace.ts'

/** Whether a reply ended at once because the prompt has used up all tokens: some servers say "length" instead of an error. */
export function leavesNoRoom({ finishReason, usage, text, reasoning, toolCalls }: TurnLine): boolean {
  const isBlank = text === '' && reasoning === '' && toolCalls.length === 0
  return finishOf(finishReason) === 'length' && isBlank && (usage === null || usage.completion === 0)
}
