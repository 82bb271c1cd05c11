import type { Message } from '@callspec/core/qwen-agent'
import { Raise, serviceError } from '@callspec/python'
import { rejectSecondSystem, turnsOf } from './checks.ts'
import { shrinkTurn } from './shrink-turn.ts'
import { countTokens } from './tokens.ts'
import type { TruncateMessagesOptions } from './tokens.ts'

/**
 * Makes the oldest turns smaller until the rest fits (spec §9.1).
 *
 * @returns the list itself if it fits; a null stands for a message that could not be cut
 * @throws Raise for two system messages, for lists that do not begin with a user, for a system message that leaves
 *   nothing, and for a lone user message that is too long but not the last turn
 */
export function shrinkOldestTurns(
  messages: readonly Message[],
  options: TruncateMessagesOptions,
): readonly (Message | null)[] {
  rejectSecondSystem(messages)
  if (messages.length === 0) return messages
  const turns = turnsOf(messages)
  const system = messages.find((message) => message.role === 'system') ?? null
  const available = options.maxTokens - (system === null ? 0 : countTokens(system, options))
  const counted = turns.map((turn) => turn.map((message) => ({ message, tokens: countTokens(message, options) })))
  const total = counted.flat().reduce((sum, { tokens }) => sum + tokens, 0)
  if (total <= available) return messages
  if (available <= 0) {
    throw serviceError(
      '400',
      `The input system has exceed the maximum input context length (${options.maxTokens} tokens)`,
    )
  }
  let excess = total - available
  // As in the reference: the system message is emitted first, wherever it stood.
  const kept: (Message | null)[] = system === null ? [] : [system]
  for (const [index, turn] of counted.entries()) {
    if (excess <= 0) {
      kept.push(...turn.map(({ message }) => message))
      continue
    }
    const tokens = turn.reduce((sum, entry) => sum + entry.tokens, 0)
    if (tokens <= excess) {
      excess -= tokens
      continue
    }
    const isLast = index === counted.length - 1
    // As in the reference: two user messages in a row can meet this (spec Q16).
    if (turn.length === 1 && !isLast) throw new Raise('AssertionError', '')
    kept.push(...shrinkTurn(turn, excess, { ...options, isLast }))
    excess = 0
  }
  return kept
}
