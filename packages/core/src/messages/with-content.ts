import type { Content, Message } from './message.ts'

/** The message with another content. Member by member: copies with `...` take several times as long, and there are many. */
export function withContent<C extends Content>(message: Message, content: C): Message & { readonly content: C } {
  const { role, reasoning_content, name, function_call, extra } = message
  const copy: { -readonly [Key in keyof Message]: Message[Key] } & { content: C } = { role, content }
  if (reasoning_content !== undefined) copy.reasoning_content = reasoning_content
  if (name !== undefined) copy.name = name
  if (function_call !== undefined) copy.function_call = function_call
  if (extra !== undefined) copy.extra = extra
  return copy
}
