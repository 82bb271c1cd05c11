import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { shownMembers } from '../../conversation/shown-value.ts'
import { printedMember } from '../../conversation/template-text.ts'
import { toolOf } from '../../grammar/values.ts'
import { strip, isDict, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { contentParts } from './content.ts'
import { declarationOf } from './declaration.ts'
import { PRINTED } from './printed.ts'
import { writeResults } from './results.ts'

/** The prompt as the older template of gemma-4-31B-it writes it. */
export function prompt(conversation: Conversation): PromptOutcome {
  return prompting(() => {
    const { messages, options } = conversation
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const writer = partWriter()
    const system = ['system', 'developer'].includes(roleOf(first)) ? first : undefined
    writer.add('<bos>')
    writeSystem(writer, system, conversation)
    const isOpen = writeMessages(writer, system === undefined ? messages : messages.slice(1))
    if (isOpen || !truthy(options.get('add_generation_prompt'))) return writer.parts()
    writer.add('<|turn>', 'model\n')
    if (!truthy(options.get('enable_thinking'))) writer.add('<|channel>', 'thought\n', '<channel|>')
    return writer.parts()
  })
}

function writeSystem(writer: PartWriter, message: PyDict | undefined, { tools, options }: Conversation): void {
  const isThinking = truthy(options.get('enable_thinking'))
  if (!isThinking && (tools ?? []).length === 0 && message === undefined) return
  writer.add('<|turn>', 'system\n')
  if (isThinking) writer.add('<|think|>', '\n')
  if (message !== undefined) writer.text(strip(printedMember(message, 'content')))
  for (const given of tools ?? []) {
    const tool = toolOf(given)
    if (tool === null) throw new Refusal('a tool is no object')
    writer.add('<|tool>')
    writer.show(declarationOf(tool))
    writer.add('<tool|>')
  }
  writer.add('<turn|>', '\n')
}

/** @returns whether the turn of the model goes on, behind calls or results */
function writeMessages(writer: PartWriter, messages: readonly PyDict[]): boolean {
  const lastUser = messages.findLastIndex((message) => roleOf(message) === 'user')
  let isOpen = false
  let speaker = ''
  for (const [index, message] of messages.entries()) {
    const given = roleOf(message)
    if (given === 'tool') continue
    if (given === '') throw new Refusal('a message has no role')
    const role = given === 'assistant' ? 'model' : given
    // Neighbouring messages of the assistant share a turn, results between them or not.
    if (role !== 'model' || speaker !== 'assistant') writer.add('<|turn>', `${role}\n`)
    speaker = given
    isOpen = writeMessage(writer, message, { messages, index, role, isNew: index > lastUser })
  }
  return isOpen
}

interface Place {
  readonly messages: readonly PyDict[]
  readonly index: number
  readonly role: string
  /** Whether no user has spoken since. */
  readonly isNew: boolean
}

/** Thought, calls, results, then what was said. */
function writeMessage(writer: PartWriter, message: PyDict, { messages, index, role, isNew }: Place): boolean {
  const calls = messageCalls(message)
  const thought = [message.get('reasoning'), message.get('reasoning_content')].find(truthy) ?? null
  if (thought !== null && isNew && calls.length > 0) {
    if (typeof thought !== 'string') throw new Refusal('a thought is no text')
    writer.add('<|channel>', `thought\n${thought}\n`, '<channel|>')
  }
  for (const call of calls) writeCall(writer, call)
  const hasResults = writeResults(writer, { calls, messages, index })
  const parts = contentParts(message, role)
  writer.show(parts)
  const hasMedia = parts.some(({ kind }) => kind === 'token')
  const isCalling = calls.length > 0 && !hasResults && !hasMedia
  if (isCalling) writer.add('<|tool_response>')
  else if (!hasResults || truthy(message.get('content'))) writer.add('<turn|>', '\n')
  return isCalling || (hasResults && !hasMedia)
}

/** A text stands for a JSON text, which the newer template refuses and the older one prints as it is. */
function writeCall(writer: PartWriter, { name, arguments: given }: MessageCall): void {
  if (given !== null && !isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
  writer.add('<|tool_call>', `call:${name}{`)
  if (given !== null) writer.show(shownMembers(given, PRINTED))
  writer.text('}')
  writer.add('<tool_call|>')
}
