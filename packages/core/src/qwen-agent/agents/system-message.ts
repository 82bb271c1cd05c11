import type { ContentItem, Message } from '../../message.ts'
import { Raise } from '../../raise.ts'

/**
 * The messages with an agent's system text in front of the first system message, or as one where there is none
 * (spec §11.1). The text must not be empty.
 *
 * @throws Raise `IndexError` or `AssertionError` for a system message whose first item has no text
 */
export function withSystemMessage(messages: readonly Message[], system: string): readonly Message[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: system }, ...messages]
  if (typeof first.content === 'string') return [{ ...first, content: `${system}\n\n${first.content}` }, ...rest]
  checkFirstText(first.content)
  return [{ ...first, content: [{ text: `${system}\n\n` }, ...first.content] }, ...rest]
}

/** Whether the messages begin with a system message that begins with `system`. */
export function startsWithSystem(messages: readonly Message[], system: string): boolean {
  const [first] = messages
  if (first?.role !== 'system') return false
  const text = typeof first.content === 'string' ? first.content : first.content[0]?.text
  return text?.startsWith(system) ?? false
}

function checkFirstText(items: readonly ContentItem[]): void {
  const [item] = items
  if (item === undefined) throw new Raise('IndexError', 'list index out of range')
  if (item.text === undefined || item.text === '') throw new Raise('AssertionError', '')
}
