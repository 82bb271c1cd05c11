import { isDict, isList } from '@callspec/python'
import type { RequestFile } from './request-file.ts'

const KNOWN: ReadonlySet<string> = new Set(['role', 'content', 'reasoning_content', 'name', 'function_call', 'extra'])

/**
 * Members of messages that the reference drops without a word, such as `tool_calls` of the OpenAI API: one line each,
 * with file and line.
 */
export function droppedMembers(file: RequestFile): readonly string[] {
  const messages = file.members.get('messages')?.value
  if (!isList(messages)) return []
  return messages.flatMap((message, index) => {
    if (!isDict(message)) return []
    const dropped = [...message.keys()].filter((key) => !KNOWN.has(key))
    return dropped.map((key) => {
      const hint = key === 'tool_calls' ? ' Write function_call: {name, arguments}.' : ''
      return `${file.place(`messages[${index}].${key}`)}: messages[${index}].${key} is dropped, as in the reference.${hint}`
    })
  })
}
