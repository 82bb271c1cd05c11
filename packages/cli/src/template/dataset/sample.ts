import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { UsageError } from '../../usage-error.ts'
import { readLossless } from '../render/json-text.ts'

/** One conversation of a data set. */
export interface Sample {
  /** `FILE:LINE`. */
  readonly where: string
  readonly messages: readonly PyDict[]
  /** As given, or read from JSON text; null for none. */
  readonly tools: PyValue
  /** `chat_template_kwargs`, as trainers hand them on. */
  readonly variables: PyDict
}

/**
 * Reads a line of a data set: an object with `messages` and perhaps `tools`, or the list of messages alone. What else stands
 * there is the data set's own business.
 *
 * @throws UsageError with file and line for what is no conversation
 */
export function readSample(line: string, where: string): Sample {
  const value = readLossless(line, where)
  const members: PyDict = isList(value) ? new Map([['messages', value]]) : isDict(value) ? value : new Map()
  const messages = members.get('messages')
  if (!isList(messages) || !messages.every(isDict))
    throw new UsageError(`${where}: has no list of "messages". Each line is {"messages": [{"role": …}], "tools": […]}.`)
  const kwargs = members.get('chat_template_kwargs')
  return { where, messages, tools: toolsIn(members, where), variables: isDict(kwargs) ? kwargs : new Map() }
}

/** Columns of tables cannot hold schemas of many shapes, so that tools often come as JSON text. */
function toolsIn(members: PyDict, where: string): PyValue {
  const tools = members.get('tools') ?? null
  const read = typeof tools === 'string' && tools.trim() !== '' ? readLossless(tools, `${where}: "tools"`) : tools
  if (read === null || read === '') return null
  if (isList(read)) return read
  throw new UsageError(`${where}: "tools" is neither a list nor JSON text of one.`)
}

/** Places of what the model said. */
export function turnsOf({ messages }: Sample): readonly number[] {
  return messages.flatMap((message, index) => (message.get('role') === 'assistant' ? [index] : []))
}
