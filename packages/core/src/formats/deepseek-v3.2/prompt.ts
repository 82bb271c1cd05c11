import type { Conversation, PromptOutcome, PartWriter } from '../../conversation/conversation.ts'
import { prompting, Refusal, partWriter } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { str, truthy, dumps, loads, isDict, isList, attempt } from '@callspec/python'
import type { Tags } from './grammar.ts'
import { END, THOUGHT, TURNS, V32, DSML, addCall, addTag } from './grammar.ts'
import { toolOf } from '../../grammar/values.ts'

/** The prompt as the maker's encoder of V3.2 writes it. It always ends where the model has to go on. */
export function promptV32(conversation: Conversation): PromptOutcome {
  return prompting(() => {
    const messages = messagesWithTools(conversation)
    const isThinking = truthy(conversation.options.get('thinking'))
    if (isThinking && conversation.options.get('drop_thinking') !== false) refuseEarlyDevelopers(messages)
    const writer = partWriter()
    writer.add(TURNS.begin)
    const last = lastQuestion(messages)
    for (const index of messages.keys()) writeMessage(writer, { messages, index, last, isThinking })
    return writer.parts()
  })
}

interface Place {
  readonly messages: readonly PyDict[]
  readonly index: number
  /** The index of the last question. */
  readonly last: number
  readonly isThinking: boolean
}

const NOBODY: PyDict = new Map()

function writeMessage(writer: PartWriter, place: Place): void {
  const { messages, index, last, isThinking } = place
  const message = messages[index] ?? NOBODY
  switch (roleOf(message)) {
    case 'system':
      writer.text(contentOr(message))
      return addSections(writer, message, V32_TOOLS)
    case 'developer':
      if (contentOr(message) === '') throw new Refusal('a message of developer says nothing')
      writer.add(TURNS.user)
      addSections(writer, message, V32_TOOLS)
      writer.text(`\n\n# The user's message is: ${contentOr(message)}`)
      writer.add(TURNS.assistant, '', THOUGHT[isThinking && index === last ? 0 : 1])
      return
    case 'user':
      writer.add(TURNS.user, str(message.get('content') ?? null), TURNS.assistant)
      writer.add(THOUGHT[isThinking && index === last ? 0 : 1])
      return
    case 'tool':
      return writeResult(writer, place)
    case 'assistant':
      return writeV32Answer(writer, place)
    default:
      throw new Refusal(`there is no role "${roleOf(message)}"`)
  }
}

/** Results are matched by their position; the last one of a turn says how it goes on. */
function writeResult(writer: PartWriter, { messages, index, last, isThinking }: Place): void {
  const asked = messages.findLastIndex((message, at) => at < index && roleOf(message) !== 'tool')
  const message = messages[asked]
  const calls = roleOf(message) === 'assistant' && message !== undefined ? messageCalls(message).length : 0
  const order = index - asked
  if (calls < order) throw new Refusal('a result follows no open call')
  const content = str(messages[index]?.get('content') ?? null)
  writer.text(`${order === 1 ? '\n\n<function_results>' : ''}\n<result>${content}</result>`)
  if (order < calls) return
  writer.text('\n</function_results>\n\n')
  writer.add(THOUGHT[isThinking && index >= last ? 0 : 1])
}

function writeV32Answer(writer: PartWriter, { messages, index, last, isThinking }: Place): void {
  const message = messages[index] ?? NOBODY
  if (isThinking && index > last) {
    const thought = message.get('reasoning_content') ?? null
    if (!truthy(thought) && messageCalls(message).length === 0)
      throw new Refusal('an answer after the last question has neither a thought nor calls')
    writer.text(truthy(thought) ? str(thought) : '')
    writer.add(THOUGHT[1])
  }
  writer.text(contentOr(message))
  addCalls(writer, message, V32)
  writer.add(END)
}

/** The messages with the tools in the first system message; without a system message an empty one is added first. */
export function messagesWithTools({ messages, tools }: Conversation): readonly PyDict[] {
  if (!isList(tools) || tools.length === 0) return messages
  const at = messages.findIndex((message) => roleOf(message) === 'system')
  const system = new Map<string, PyValue>([...(messages[at] ?? [['role', 'system']]), ['tools', tools]])
  return at < 0 ? [system, ...messages] : messages.with(at, system)
}

/** The index of the last question, or -1. */
function lastQuestion(messages: readonly PyDict[]): number {
  return messages.findLastIndex((message) => ['user', 'developer'].includes(roleOf(message)))
}

/** The maker leaves out such a message where thoughts are dropped, and loses count of the others. */
function refuseEarlyDevelopers(messages: readonly PyDict[]): void {
  const last = lastQuestion(messages)
  if (messages.some((message, index) => index < last && roleOf(message) === 'developer'))
    throw new Refusal('a message of developer precedes the last question')
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

/**
 * The texts of the prompt, from the maker's encoder (MIT): `encoding_dsv32.py` of DeepSeek-V3.2 with its blank lines. Functions are
 * between the two halves, one a line.
 */
const V32_TOOLS = [
  `## Tools

You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the user:
<｜DSML｜function_calls>
<｜DSML｜invoke name="$FUNCTION_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$FUNCTION_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜function_calls>

String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).

If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:

<｜DSML｜function_calls>
...
</｜DSML｜function_calls>

<function_results>
...
</function_results>

<think>...thinking about results</think>

Here are the functions available in JSONSchema format:
<functions>
`,
  '\n</functions>\n',
] as const

/** Before the schema of an answer. */
const RESPONSE_FORMAT = '## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n'
