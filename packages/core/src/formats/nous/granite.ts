import { dumps, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'

/** The prompt as the template of Granite 4.0 writes it, with its own system text where none is given. */
export function granite40Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, DEFAULT_SYSTEM)
}

/** That of Granite 4.1, without a system turn where nothing is given. */
export function granite41Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, '')
}

const DEFAULT_SYSTEM = 'You are a helpful assistant. Please ensure responses are professional, accurate, and safe.'

function write({ messages, tools, options }: Conversation, defaultSystem: string): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const writer = partWriter()
    const said = roleOf(first) === 'system' ? textIn(first) : null
    const available = options.get('available_tools') ?? null
    const parts = [
      ...(said === null ? [] : [said]),
      ...listed(truthy(available) ? available : (tools ?? null), TOOLS),
      ...listed(options.get('documents') ?? null, DOCUMENTS),
    ]
    const system = parts.join('\n\n')
    const shown = system === '' ? defaultSystem : system
    if (shown !== '') writeTurn(writer, 'system', shown)
    for (const [index, message] of messages.entries()) writeMessage(writer, { message, messages, index })
    if (truthy(options.get('add_generation_prompt'))) writeHead(writer, 'assistant')
    return writer.parts()
  })
}

/** Tools or documents, one a line, between their two texts; nothing where there are none. */
function listed(items: PyValue, [before, after]: readonly [string, string]): readonly string[] {
  if (!truthy(items)) return []
  if (!isList(items)) throw new Refusal('the tools or documents are no list')
  return [`${before}${items.map((item) => `\n${dumps(item)}`).join('')}${after}`]
}

function writeHead(writer: PartWriter, role: string): void {
  writer.add('<|start_of_role|>', role, '<|end_of_role|>')
}

function writeTurn(writer: PartWriter, role: string, text: string): void {
  writeHead(writer, role)
  writer.add('', text, '<|end_of_text|>', '\n')
}

/** The texts of a list, a line each. */
function textIn(message: PyDict): string {
  const content = message.get('content') ?? null
  if (typeof content === 'string') return content
  if (content === null || isDict(content)) return ''
  if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
  let text = ''
  for (const part of content) {
    if (!isDict(part) || part.get('type') !== 'text') continue
    const said = part.get('text')
    if (typeof said !== 'string') throw new Refusal('a part of a message has no text')
    text += (text === '' ? '' : '\n') + said
  }
  return text
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
}

/** As in the template, a message of another role vanishes. */
function writeMessage(writer: PartWriter, place: Place): void {
  const { message, index } = place
  const role = roleOf(message)
  switch (role) {
    case 'system':
      return index === 0 ? undefined : writeTurn(writer, role, textIn(message))
    case 'user':
      return writeTurn(writer, role, textIn(message))
    case 'assistant':
      return writeAnswer(writer, message)
    case 'tool':
      return writeResult(writer, place)
    default:
  }
}

function writeAnswer(writer: PartWriter, message: PyDict): void {
  const said = textIn(message)
  writeHead(writer, 'assistant')
  writer.text(said)
  for (const [index, call] of messageCalls(message).entries()) {
    writer.text(index > 0 || said !== '' ? '\n' : '')
    writer.add('<tool_call>', `\n{"name": "${call.name}", "arguments": ${argumentsIn(call)}}\n`, '</tool_call>')
  }
  writer.add('<|end_of_text|>', '\n')
}

/** Arguments given as a text stay as they are. */
function argumentsIn({ name, arguments: given, lacksArguments }: MessageCall): string {
  if (lacksArguments) throw new Refusal(`the call of ${name} has no member "arguments"`)
  return typeof given === 'string' ? given : dumps(given)
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, { message, messages, index }: Place): void {
  if (roleOf(messages[index - 1]) !== 'tool') writeHead(writer, 'user')
  writer.text(`\n<tool_response>\n${textIn(message)}\n</tool_response>`)
  if (roleOf(messages[index + 1]) !== 'tool') writer.add('<|end_of_text|>', '\n')
}

/** The texts of the prompts, from the chat templates of Granite 4.0 and 4.1 (Apache-2.0). */
const TOOLS = [
  'You are a helpful assistant with access to the following tools. You may call one or more tools to assist with the user query.\n\n' +
    'You are provided with function signatures within <tools></tools> XML tags:\n<tools>',
  '\n</tools>\n\nFor each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n' +
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>. If a tool does not exist in the provided list ' +
    'of tools, notify the user that you do not have the ability to fulfill the request.',
] as const

const DOCUMENTS = [
  'You are a helpful assistant with access to the following documents. You may use one or more documents to assist with the user query.\n\n' +
    'You are given a list of documents within <documents></documents> XML tags:\n<documents>',
  "\n</documents>\n\nWrite the response to the user's input by strictly aligning with the facts in the provided documents. If the " +
    'information needed to answer the question is not available in the documents, inform the user that the question cannot be answered ' +
    'based on the available data.',
] as const
