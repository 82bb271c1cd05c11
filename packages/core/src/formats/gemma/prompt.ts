import type { Conversation, PromptOutcome, PromptPart, PartWriter } from '../../conversation/conversation.ts'
import { prompting, Refusal, partWriter } from '../../conversation/conversation.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { messageCalls, roleOf, printedMember } from '../../conversation/message-view.ts'
import { toolOf } from '../../grammar/values.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { strip, isDict, truthy, str, isList, dumps } from '@callspec/python'
import { writeDeclaration } from './declaration.ts'
import { FUNCTION_GEMMA } from './grammar.ts'
import { writeEach, writeMembers, writeValue } from './values.ts'

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
    writeDeclaration(writer, tool)
    writer.add('<tool|>')
  }
  writer.add('<turn|>', '\n')
}

/** @returns whether the turn of the model continues, after calls or results */
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

/** Thought, calls, results, then the content. */
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
  if (given !== null) writeMembers(writer, given, 'plain')
  writer.text('}')
  writer.add('<tool_call|>')
}

/** What a message says: texts without white space at their ends, one after the other, and marks for what is no text. */
function contentParts(message: PyDict, role: string): readonly PromptPart[] {
  const content = message.get('content') ?? null
  const said = (text: string): string => strip(role === 'model' ? outsideChannels(text) : text)
  if (!isList(content)) return typeof content === 'string' ? [{ kind: 'text', text: said(content) }] : []
  return content.filter(isDict).flatMap((part): readonly PromptPart[] => {
    const type = part.get('type') ?? null
    if (type === 'text') return [{ kind: 'text', text: said(printedMember(part, 'text')) }]
    return MEDIA.has(type) ? [{ kind: 'token', text: `<|${str(type)}|>` }] : []
  })
}

const MEDIA: ReadonlySet<PyValue> = new Set(['image', 'audio', 'video'])

/** The text without thoughts. */
function outsideChannels(text: string): string {
  if (!text.includes('<|channel>') && !text.includes('<channel|>')) return text
  return text
    .split('<channel|>')
    .map((piece) => piece.split('<|channel>')[0] ?? '')
    .join('')
}

/** The calls of a message, and its place. */
interface Calling {
  readonly calls: readonly MessageCall[]
  readonly messages: readonly PyDict[]
  readonly index: number
}

/**
 * The results of the calls of a message, inside its turn: those that it holds itself, as the family has them, or else the
 * tool messages after it.
 *
 * @returns whether there are any
 */
function writeResults(writer: PartWriter, { calls, messages, index }: Calling): boolean {
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
  if (isDict(body)) writeMembers(writer, body, 'plain')
  else {
    writer.text('value:')
    writeValue(writer, body, 'plain')
  }
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

/** The prompt as vLLM's template for FunctionGemma writes it: tools are shown after a system message only. */
export function promptFunctionGemma({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    // As in the template: it asks for the length of the tools, also where no message shows them.
    if (tools === undefined || tools === null) throw new Refusal('there are no tools; an empty list is accepted')
    const writer = partWriter()
    for (const message of messages) {
      const shown = turnText(message, tools)
      if (shown === null) continue
      writer.add('<start_of_turn>', shown)
      if (shown === 'model') for (const call of messageCalls(message)) writeFunctionGemmaCall(writer, call)
      writer.add('<end_of_turn>')
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<start_of_turn>', 'model')
    return writer.parts()
  })
}

/** Null for a message of a role that the template does not know: it is not shown. `model` alone precedes calls. */
function turnText(message: PyDict, tools: readonly PyValue[]): string | null {
  const said = printedMember(message, 'content')
  switch (roleOf(message)) {
    case 'system':
    case 'developer':
      return `user\n${said}${toolsText(tools)}`
    case 'user':
      return `user\n${said}`
    case 'tool':
      return `user\nFunction result for ${message.has('name') ? printedMember(message, 'name') : 'function'}: ${said}`
    case 'assistant':
      if (message.get('tool_calls') === null) throw new Refusal('tool_calls is null: leave it out')
      return messageCalls(message).length === 0 ? `model\n${said}` : 'model'
    default:
      return null
  }
}

/** Every value is printed between the quotes as Python prints it. */
function writeFunctionGemmaCall(writer: PartWriter, { name, arguments: given, isBare }: MessageCall): void {
  if (isBare || !isDict(given)) throw new Refusal(`${name}: no member "function", or arguments that are not an object`)
  const { open, quote, close } = FUNCTION_GEMMA
  writer.add(open, `call:${name}{`)
  writeEach(writer, given, ([key, value]) => {
    writer.text(`${key}:`)
    writer.add(quote, str(value), quote)
  })
  writer.text('}')
  writer.add(close)
}

/** A tool that is not of type `function`, such as a bare one, is left out. */
function toolsText(tools: readonly PyValue[]): string {
  const shown = tools.map((tool) => {
    const inner = isDict(tool) && tool.get('type') === 'function' ? tool.get('function') : null
    if (!isDict(inner)) return ''
    const parameters = inner.get('parameters')
    if (parameters === undefined) throw new Refusal(`the tool ${printedMember(inner, 'name')} has no parameters`)
    const about = inner.has('description') ? printedMember(inner, 'description') : 'No description provided'
    return `\nFunction: ${printedMember(inner, 'name')}\nDescription: ${about}\nParameters: ${dumps(parameters)}`
  })
  return tools.length === 0 ? '' : `\nAvailable functions:${shown.join('')}`
}
