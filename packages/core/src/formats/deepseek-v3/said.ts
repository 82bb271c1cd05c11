import { Refusal } from '../../conversation/conversation.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { roleOf, textMember } from '../../conversation/message-view.ts'
import { isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { MARKS } from './markers.ts'

/** What a message says; the templates take nothing but a text. */
export function said(message: PyDict): string {
  return textMember(message, 'content')
}

/** The system messages, wherever they stand, with an empty line between them. */
export function systemText(messages: readonly PyDict[]): string {
  return messages
    .filter((message) => roleOf(message) === 'system')
    .map(said)
    .join('\n\n')
}

/** What stands behind the thought of a text, which history does not keep: behind its first end, or behind its last. */
export function behindThought(text: string, end: 'first' | 'last'): string {
  const close = MARKS.thought[1]
  const at = end === 'first' ? text.indexOf(close) : text.lastIndexOf(close)
  return at < 0 ? text : text.slice(at + close.length)
}

/** Whether a message has a list of calls, which may be empty. */
export function hasCalls(message: PyDict): boolean {
  return (message.get('tool_calls') ?? null) !== null
}

/** The arguments of a call, which the templates of V3 and V3.1 put in as they are. */
export function argumentsOf({ name, arguments: given }: MessageCall): string {
  if (typeof given !== 'string') throw new Refusal(`the arguments of ${name} are no text`)
  return given
}

/** What the calls of a message say of their type. */
export function typeOfCall(message: PyDict, index: number): string {
  const calls = message.get('tool_calls') ?? null
  const call = isList(calls) ? calls[index] : undefined
  const type = isDict(call) ? call.get('type') : undefined
  return typeof type === 'string' ? type : 'function'
}
