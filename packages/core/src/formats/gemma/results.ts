import { Refusal } from '../../conversation/conversation.ts'
import { roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { membersOf, printed, valueOf, writePrinted } from './printed.ts'

/** A message, and what follows it. */
export interface Calling {
  readonly message: PyDict
  readonly calls: readonly MessageCall[]
  readonly rest: readonly PyDict[]
}

/**
 * The results of the calls of a message, inside its turn: those that it holds itself, as the family has them, or else the
 * tool messages behind it.
 *
 * @returns whether there are any
 */
export function writeResults(writer: PartWriter, { message, calls, rest }: Calling): boolean {
  const own = message.get('tool_responses') ?? null
  if (isList(own) && own.length > 0) {
    for (const each of own) writeOwn(writer, each)
    return true
  }
  if (calls.length === 0) return false
  const end = rest.findIndex((each) => roleOf(each) !== 'tool')
  const results = end < 0 ? rest : rest.slice(0, end)
  for (const result of results) writeResult(writer, nameOf(result, calls), bodyOf(result))
  return results.length > 0
}

function writeOwn(writer: PartWriter, given: PyValue): void {
  if (!isDict(given)) throw new Refusal('a result in tool_responses is no object')
  writeResult(writer, given.has('name') ? printed(given, 'name') : 'unknown', given.get('response') ?? null)
}

function writeResult(writer: PartWriter, name: string, body: PyValue): void {
  writer.add('<|tool_response>', `response:${name}{`)
  writePrinted(writer, isDict(body) ? membersOf(body, false) : ['value:', valueOf(body, false)])
  writer.text('}')
  writer.add('<tool_response|>')
}

/** The name of the call that the result is of; else the one that it gives itself. */
function nameOf(result: PyDict, calls: readonly MessageCall[]): string {
  const id = result.get('tool_call_id') ?? null
  const name = calls.findLast((call) => call.id === id)?.name ?? result.get('name')
  if (typeof name === 'string') return name
  throw new Refusal('a result has neither a name nor the id of a call')
}

/** Texts of parts one after the other; a map stays one, of which the members are shown. */
function bodyOf(result: PyDict): PyValue {
  const content = result.get('content') ?? null
  if (!isList(content)) return content
  return content
    .map((part) => (isDict(part) && part.get('type') === 'text' ? str(part.get('text') ?? '') : ''))
    .join('')
}
