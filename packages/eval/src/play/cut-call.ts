import { isJson } from '../text/json.ts'
import { finishOf } from '../trace/finish-reason.ts'
import type { TurnLine } from '../trace/trace.ts'

/**
 * Whether the token limit cut a call off in its arguments. Such a call must not go back to the server in the history: engines
 * refuse what is no JSON, and the failure would be taken for theirs.
 */
export function endsInCutCall(
  { failure, finishReason, usage, toolCalls }: TurnLine,
  maxTokens: number | null,
): boolean {
  const last = toolCalls.at(-1)
  if (last === undefined || failure !== null || isJson(last.arguments)) return false
  const isUsedUp = usage !== null && maxTokens !== null && usage.completion >= maxTokens
  return finishOf(finishReason) === 'length' || isUsedUp
}
