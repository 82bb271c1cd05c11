import { Refusal } from '../../conversation/conversation.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { toolOf } from '../../grammar/values.ts'
import { dumps, loads, str, isDict, isList, truthy, attempt } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { DSML } from './tags.ts'
import type { Tags } from './tags.ts'
import { RESPONSE_FORMAT } from './templates.ts'
import { addCall, addTag } from './write.ts'

/** The messages, of which the first system message has the tools; an empty one is put in front where there is none. */
export function messagesWithTools({ messages, tools }: Conversation): readonly PyDict[] {
  if (!isList(tools) || tools.length === 0) return messages
  const at = messages.findIndex((message) => roleOf(message) === 'system')
  const system = new Map<string, PyValue>([...(messages[at] ?? [['role', 'system']]), ['tools', tools]])
  return at < 0 ? [system, ...messages] : messages.with(at, system)
}

/** Where the last question stands; -1 for nowhere. */
export function lastQuestion(messages: readonly PyDict[]): number {
  return messages.findLastIndex((message) => ['user', 'developer'].includes(roleOf(message)))
}

/** The maker leaves out such a message where thoughts are dropped, and loses count of the others. */
export function refuseEarlyDevelopers(messages: readonly PyDict[]): void {
  const last = lastQuestion(messages)
  if (messages.some((message, index) => index < last && roleOf(message) === 'developer'))
    throw new Refusal('a message of developer stands before the last question')
}

/** Content as the maker puts it in: nothing for null and what counts as false. */
export function contentOr(message: PyDict): string {
  const content = message.get('content') ?? null
  return truthy(content) ? str(content) : ''
}

/** Adds what a system or developer message says of tools and of the form of the answer. */
export function addSections(writer: PartWriter, message: PyDict, template: readonly [string, string]): void {
  const tools = message.get('tools') ?? null
  if (isList(tools) && tools.length > 0) {
    addTemplate(writer, `\n\n${template[0]}`)
    writer.text(tools.map((tool) => dumps(toolOf(tool) ?? tool)).join('\n'))
    addTemplate(writer, template[1])
  }
  const schema = message.get('response_format') ?? null
  if (truthy(schema)) writer.text(`\n\n${RESPONSE_FORMAT}${dumps(schema)}`)
}

/** A text of ours, in which tags have their token. */
function addTemplate(writer: PartWriter, text: string): void {
  for (const [index, piece] of text.split(DSML).entries()) writer.add(index === 0 ? '' : DSML, piece)
}

/** Adds the calls of an assistant message, in their block. */
export function addCalls(writer: PartWriter, message: PyDict, tags: Tags): void {
  const calls = messageCalls(message)
  if (calls.length === 0) return
  writer.text('\n\n')
  addTag(writer, tags.block)
  for (const { name, arguments: given } of calls) {
    writer.text('\n')
    addCall(writer, tags, { name, given: argumentsOf(name, given) })
  }
  writer.text('\n')
  addTag(writer, `/${tags.block}`)
}

function argumentsOf(name: string, given: PyValue): PyDict {
  const read = typeof given === 'string' ? attempt(() => loads(given)) : null
  const value = read === null ? given : read.kind === 'returned' ? read.value : null
  if (!isDict(value)) throw new Refusal(`the arguments of ${name} are no JSON object`)
  return value
}
