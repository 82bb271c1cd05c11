import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { asksForReply, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, str, strip, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { writeLlamaTools } from '../llama-tools.ts'

/** The prompt of Llama 4: it asks for JSON, and shows the calls of the history as JSON. */
export function promptLlama4({ messages, tools: given, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const tools = options.has('custom_tools') ? (options.get('custom_tools') ?? null) : (given ?? null)
    if (tools !== null && !isList(tools)) throw new Refusal('the tools are no list')
    const isInUser = !options.has('tools_in_user_message') || truthy(options.get('tools_in_user_message'))
    const [first] = messages
    if (first === undefined) throw new Refusal('there are no messages')
    const writer = partWriter()
    writer.add('<|begin_of_text|>')
    const isSystem = roleOf(first) === 'system'
    if (isSystem) {
      writeTurn(writer, 'system', () => {
        if (tools !== null) writer.text('Environment: ipython\n')
        if (tools !== null && !isInUser) writeLlamaTools(writer, 'system', tools)
        writer.text(strip(systemText(first)))
      })
    }
    const rest = isSystem ? messages.slice(1) : messages
    const isToolTurn = tools !== null && isInUser
    if (isToolTurn) writeFirst(writer, rest[0], tools)
    for (const message of isToolTurn ? rest.slice(1) : rest) writeMessage(writer, message)
    if (asksForReply(options)) writeHead(writer, 'assistant')
    return writer.parts()
  })
}

function writeHead(writer: PartWriter, role: string): void {
  writer.add('<|header_start|>', role, '<|header_end|>', '\n\n')
}

function writeTurn(writer: PartWriter, role: string, body: () => void): void {
  writeHead(writer, role)
  body()
  writer.add('<|eot|>')
}

/** Of a list of parts the first one's text. */
function systemText(message: PyDict): string {
  const content = message.get('content') ?? null
  if (typeof content === 'string') return content
  const part = isList(content) ? (content[0] ?? null) : null
  const text = isDict(part) ? (part.get('text') ?? null) : null
  if (text === null) throw new Refusal('the system message has neither a text nor parts with one')
  return str(text)
}

/** The message behind the tools is one of the user, whatever its role says; a list of parts stays a list. */
function writeFirst(writer: PartWriter, message: PyDict | undefined, tools: readonly PyValue[]): void {
  if (message === undefined) throw new Refusal('there is no message in which the tools could stand')
  writeTurn(writer, 'user', () => {
    writeLlamaTools(writer, 'user', tools)
    if (message.has('content')) writer.text(strip(str(message.get('content') ?? null)))
  })
}

function writeMessage(writer: PartWriter, message: PyDict): void {
  const role = roleOf(message)
  if (message.has('tool_calls') && hasCalls(message)) writeCalls(writer, message)
  else if (role === 'tool' || role === 'ipython') writeTurn(writer, 'ipython', () => writeResult(writer, message))
  // Where calls are announced and there are none, nothing is printed at all.
  else if (!message.has('tool_calls')) writeTurn(writer, role, () => writeContent(writer, message))
}

function hasCalls(message: PyDict): boolean {
  const calls = message.get('tool_calls') ?? null
  if (!isList(calls)) throw new Refusal('tool_calls is no list')
  return calls.length > 0
}

/** The text stands between the tokens of code, and the calls, as JSON, glued together behind them. */
function writeCalls(writer: PartWriter, message: PyDict): void {
  writeTurn(writer, 'assistant', () => {
    writer.add('<|python_start|>')
    writeContent(writer, message)
    writer.add('<|python_end|>')
    for (const { name, arguments: given, lacksArguments } of messageCalls(message)) {
      if (lacksArguments) throw new Refusal(`the call of ${name} has no arguments`)
      writer.text(`{"name": "${name}", "parameters": ${dumps(given)}}`)
    }
  })
}

/** A text as it is; of parts the texts, and a token for each image. */
function writeContent(writer: PartWriter, message: PyDict): void {
  const content = message.get('content') ?? null
  if (typeof content === 'string') return writer.text(content)
  if (!isList(content)) throw new Refusal(`a message of role ${roleOf(message)} has no content`)
  for (const part of content) {
    const type = isDict(part) ? part.get('type') : undefined
    if (type === 'image') writer.add('<|image|>')
    else if (type === 'text' && isDict(part) && part.has('text')) writer.text(str(part.get('text') ?? null))
  }
}

/** A result is JSON, so that a text stands in quotes. */
function writeResult(writer: PartWriter, message: PyDict): void {
  if (!message.has('content')) throw new Refusal('a result has no content')
  const content = message.get('content') ?? null
  const isJson = typeof content === 'string' || isList(content) || isDict(content)
  writer.text(isJson ? dumps(content) : str(content))
}
