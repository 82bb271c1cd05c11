import { isDict, isList } from '@callspec/python'
import type { Conversation } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { UsageError } from '../usage-error.ts'
import type { RequestFile } from './request-file.ts'

/** Members of a request file that are ours, not the format's. */
const OWN: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'format',
  'profile',
  'as',
  'output',
  'about',
  'note',
  '$schema',
])

/**
 * The conversation of a request file, for a format with a prompt of its own. Members that mean nothing to us are options
 * of the format, as they are written; the model goes on unless the file says otherwise.
 *
 * @throws UsageError with file and line for messages or tools of the wrong kind
 */
export function readConversation(file: RequestFile): Conversation {
  const given = file.members.get('messages')?.value
  // A family may take a conversation in a shape of its own instead.
  const messages = given ?? (file.members.has('conversation') ? [] : given)
  if (!isList(messages)) throw wrong(file, 'messages', 'a list of messages')
  const bad = messages.findIndex((message) => !isDict(message))
  if (bad >= 0) throw wrong(file, `messages[${bad}]`, 'an object with "role" and "content"')
  const tools = file.members.get('tools')?.value
  if (tools !== undefined && tools !== null && !isList(tools)) throw wrong(file, 'tools', 'a list of tools')
  const own = [...file.members].filter(([name]) => !OWN.has(name)).map(([, { key, value }]) => [key, value] as const)
  const options = new Map<string, PyValue>([['add_generation_prompt', true], ...own])
  return { messages: messages.filter((message): message is PyDict => isDict(message)), tools, options }
}

function wrong(file: RequestFile, where: string, wanted: string): UsageError {
  return new UsageError(`${file.place(where)}: "${where}" is not ${wanted}.`)
}
