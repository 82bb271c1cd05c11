import type { Message } from '../../message.ts'
import { Raise, serviceError } from '../../raise.ts'
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
  const newest = turns.at(-1)
  if (newest === undefined) throw serviceError('400', 'At least one user message should be provided.')
  let used = countTokens(system, options) + sumOf(newest, options)
  if (used > options.maxTokens) throw tooLong({ maxTokens: options.maxTokens, systemMayBeAbsent: false }, used)
  let first = turns.length - 1
  for (; first > 0; first -= 1) {
    used += sumOf(turns[first - 1] ?? [], options)
    if (used > options.maxTokens) break
  }
  return [system, ...turns.slice(first).flat()]
}

function sumOf(turn: readonly Message[], options: TruncateMessagesOptions): number {
  return turn.reduce((sum, message) => sum + countTokens(message, options), 0)
}
