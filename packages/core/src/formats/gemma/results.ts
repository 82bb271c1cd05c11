import { Refusal } from '../../conversation/conversation.ts'
import { roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { shownMembers, shownValue } from '../../conversation/shown-value.ts'
import { printedMember } from '../../conversation/template-text.ts'
import { str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { PRINTED } from './printed.ts'

/** The calls of a message, and where it stands. */
export interface Calling {
  readonly calls: readonly MessageCall[]
  readonly messages: readonly PyDict[]
  readonly index: number
}

/**
 * The results of the calls of a message, inside its turn: those that it holds itself, as the family has them, or else the
 * tool messages behind it.
 *
 * @returns whether there are any
 */
export function writeResults(writer: PartWriter, { calls, messages, index }: Calling): boolean {
  const own = messages[index]?.get('tool_responses') ?? null
  if (isList(own) && own.length > 0) {
    for (const each of own) writeOwn(writer, each)
    return true
  }
  if (calls.length === 0) return false
  let at = index + 1
  for (let result = messages[at]; result !== undefined && roleOf(result) === 'tool'; result = messages[++at])
    writeResult(writer, nameOf(result, calls), bodyOf(result))
  return at > index + 1
}

function writeOwn(writer: PartWriter, given: PyValue): void {
  if (!isDict(given)) throw new Refusal('a result in tool_responses is no object')
  writeResult(writer, given.has('name') ? printedMember(given, 'name') : 'unknown', given.get('response') ?? null)
}

function writeResult(writer: PartWriter, name: string, body: PyValue): void {
  writer.add('<|tool_response>', `response:${name}{`)
  writer.show(isDict(body) ? shownMembers(body, PRINTED) : ['value:', shownValue(body, PRINTED)])
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
