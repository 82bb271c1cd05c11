import type { Message } from '@callspec/core/qwen-agent'
import { Raise, serviceError } from '@callspec/python'
import { rejectEmpty, rejectSecondSystem, tooLong, turnsOf } from './checks.ts'
import { countTokens } from './tokens.ts'
import type { TruncateMessagesOptions } from './tokens.ts'

/**
 * Keeps whole turns, from the newest to the oldest, while they fit (spec §9.3). The newest turn always stays.
 *
 * @throws Raise for lists without a first system message, without a user message, and when the newest turn is too long
 */
export function keepWholeTurns(messages: readonly Message[], options: TruncateMessagesOptions): readonly Message[] {
  rejectEmpty(messages)
  const [system, ...rest] = messages
  if (system?.role !== 'system') throw new Raise('AssertionError', '')
  rejectSecondSystem(messages)
  const turns = turnsOf(rest)
  let used = countTokens(system, options)
  let kept = 0
  for (const turn of turns.toReversed()) {
    const tokens = sumOf(turn, options)
    if (kept > 0 && used + tokens > options.maxTokens) break
    used += tokens
    kept += 1
  }
  if (kept === 0) throw serviceError('400', 'At least one user message should be provided.')
  // As in the reference: only after the turn before it has been counted, which can raise.
  if (used > options.maxTokens) throw tooLong({ maxTokens: options.maxTokens, systemMayBeAbsent: false }, used)
  return [system, ...turns.slice(-kept).flat()]
}

function sumOf(turn: readonly Message[], options: TruncateMessagesOptions): number {
  return turn.reduce((sum, message) => sum + countTokens(message, options), 0)
}
