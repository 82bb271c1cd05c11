import type { ContentItem, Message, Profile } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'

/**
 * The messages with an agent's system text in front of the first system message, or as one where there is none
 * (spec §11.1).
 *
 * @throws Raise `IndexError` or `AssertionError` for a system message whose first item has no text, where the profile
 *   looks, and for a conversation without messages, where the profile refuses it
 */
export function withSystemMessage(messages: readonly Message[], system: string, profile: Profile): readonly Message[] {
  checkHasMessages(messages, profile)
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: system }, ...messages]
  if (typeof first.content === 'string') return [{ ...first, content: `${system}\n\n${first.content}` }, ...rest]
  if (profile.agentSystemMessage !== 'every-call') checkFirstText(first.content)
  return [{ ...first, content: [{ text: `${system}\n\n` }, ...first.content] }, ...rest]
}

/** Whether the messages begin with a system message that begins with `system`. */
export function startsWithSystem(messages: readonly Message[], system: string): boolean {
  const [first] = messages
  if (first?.role !== 'system') return false
  const text = typeof first.content === 'string' ? first.content : first.content[0]?.text
  return text?.startsWith(system) ?? false
}

/** as in the reference: older versions look at the first message without asking whether there is one. */
export function checkHasMessages(messages: readonly Message[], profile: Profile): void {
  if (messages.length > 0 || profile.agentWithoutMessages === 'allowed') return
  throw new Raise('IndexError', 'list index out of range')
}

function checkFirstText(items: readonly ContentItem[]): void {
  const [item] = items
  if (item === undefined) throw new Raise('IndexError', 'list index out of range')
  if (item.text === undefined || item.text === '') throw new Raise('AssertionError', '')
}
