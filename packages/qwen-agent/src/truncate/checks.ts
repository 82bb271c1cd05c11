import type { Message } from '@callspec/core/qwen-agent'
import { Raise, serviceError } from '@callspec/python'

/** The refusal of a second system message; two spaces inside, as in the reference. */
export function rejectSecondSystem(messages: readonly Message[]): void {
  if (messages.filter((message) => message.role === 'system').length < 2) return
  throw serviceError(
    '400',
    'The input messages must contain no more than one system message. ' +
      ' And the system message, if exists, must be the first message.',
  )
}

/** What the reference says to messages that do not begin with a user. */
export function mustStartWithUser(): Raise {
  return serviceError('400', 'The input messages (excluding the system message) must start with a user message.')
}

/** Python's `messages[0]` on an empty list. */
export function rejectEmpty(messages: readonly Message[]): void {
  if (messages.length === 0) throw new Raise('IndexError', 'list index out of range')
}

/**
 * The messages grouped by user message; system messages are left out.
 *
 * @throws Raise the refusal of `mustStartWithUser`
 */
export function turnsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const open = turns.at(-1)
    if (message.role === 'user') turns.push([message])
    else if (open === undefined) throw mustStartWithUser()
    else open.push(message)
  }
  return turns
}

/** The refusal of messages whose newest part alone is too long. */
export function tooLong(
  { maxTokens, systemMayBeAbsent }: { readonly maxTokens: number; readonly systemMayBeAbsent: boolean },
  around: number,
): Raise {
  const ifExists = systemMayBeAbsent ? ' (if exists)' : ''
  const suggestion = (Math.floor(around / 100) + 1) * 100
  return serviceError(
    '400',
    `The input messages exceed the maximum context length (${maxTokens} tokens) after keeping only the system message` +
      `${ifExists} and the latest one user message (around ${around} tokens). ` +
      // As in the reference: "specifiy".
      'To configure the context limit, please specifiy "max_input_tokens" in the model generate_cfg. ' +
      `Example: generate_cfg = {..., "max_input_tokens": ${suggestion}}`,
  )
}
