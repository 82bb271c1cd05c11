import type { Content, Message } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'

const SEPARATOR = '\n\n'

/**
 * Merges an answer that the model is to continue into the user message before it, because a chat service cannot be
 * asked to continue (spec §8.4). Lists that do not end with an assistant come back as they are.
 *
 * @throws Raise `AssertionError` for an answer with a call or without a user message before it, `NotImplementedError`
 *   where only one of both is a text
 */
export function mergeContinuation(messages: readonly Message[]): readonly Message[] {
  const answer = messages.at(-1)
  if (answer?.role !== 'assistant') return messages
  const user = messages.at(-2)
  if (user?.role !== 'user' || answer.function_call) throw new Raise('AssertionError', '')
  return [...messages.slice(0, -2), { ...user, content: joined(user.content, answer.content) }]
}

function joined(before: Content, after: Content): Content {
  if (typeof before === 'string' && typeof after === 'string') return before + SEPARATOR + after
  if (typeof before === 'string' || typeof after === 'string') throw new Raise('NotImplementedError', '')
  return [...before, { text: SEPARATOR }, ...after]
}
