import type { Content, Message } from './message.ts'
import { repr } from '@callspec/python'
import { dumpItem } from './content-item.ts'
import { dumpCall } from './dump-message.ts'

/** `str(content)` of Python: a text as it is, items as `[ContentItem({'text': 't'})]` (spec §2.6). */
export function pythonText(content: Content): string {
  if (typeof content === 'string') return content
  return `[${content.map((item) => `ContentItem(${repr(dumpItem(item))})`).join(', ')}]`
}

/** `str(call)` of Python: `{'name': 'f', 'arguments': '{}'}` (spec §2.6). */
export function callPythonText(call: NonNullable<Message['function_call']>): string {
  return repr(dumpCall(call))
}
