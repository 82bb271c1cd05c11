import { dumps, isDict, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { loopedItems, messageCalls, roleOf, thoughtAndContent, visibleText } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { callText, feedsOf } from './grammar.ts'

/** Where the two templates put line feeds, and what else they do differently. */
export interface Layout {
  /** Between tags, after names and heads of turns: a line feed or nothing. */
  readonly feed: '' | '\n'
  /** What is written in place of a thought that is not shown, tags and texts in turn. */
  readonly noThought: readonly string[]
  /** After the head of the model's turn, with and without thinking: tags and texts in turn. */
  readonly opening: { readonly thinking: readonly string[]; readonly silent: readonly string[] }
  /** After questions, if thinking is off. */
  readonly silence: string
  /** Whether arguments may be missing in history. */
  readonly needsArguments: boolean
  /** Whether `clear_thinking` can keep the thoughts of old turns. */
  readonly keepsThoughts: boolean
}

/** GLM-4.5 and 4.6. */
export const LAYOUT_45: Layout = {
  feed: '\n',
  noThought: ['<think>', '', '</think>'],
  opening: { thinking: [], silent: ['', '\n', '<think>', '', '</think>'] },
  silence: '/nothink',
  needsArguments: false,
  keepsThoughts: false,
}

/** GLM-4.7 and 4.7-Flash. */
export const LAYOUT_47: Layout = {
  feed: '',
  noThought: ['</think>'],
  opening: { thinking: ['<think>'], silent: ['</think>'] },
  silence: '',
  needsArguments: true,
  keepsThoughts: true,
}

/** Writes the prompt as the template of a layout does. */
export function writePrompt({ messages, tools, options }: Conversation, layout: Layout): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add('[gMASK]', '', '<sop>')
    if (truthy(tools)) writeTools(writer, tools ?? [], layout)
    const lastUser = messages.findLastIndex((message) => roleOf(message) === 'user')
    const isSilent = options.has('enable_thinking') && !truthy(options.get('enable_thinking'))
    const areThoughtsKept =
      layout.keepsThoughts && options.has('clear_thinking') && !truthy(options.get('clear_thinking'))
    for (const [index, message] of messages.entries()) {
      const isFirstResult = index === 0 || roleOf(messages[index - 1]) !== 'tool'
      const showsThought = areThoughtsKept || index > lastUser
      writeMessage(writer, { message, layout, isSilent, showsThought, isFirstResult })
    }
    if (truthy(options.get('add_generation_prompt'))) {
      writer.add('<|assistant|>')
      writer.add(...(isSilent ? layout.opening.silent : layout.opening.thinking))
    }
    return writer.parts()
  })
}

/** The tools have a system turn of their own. */
function writeTools(writer: PartWriter, tools: readonly PyValue[], { feed }: Layout): void {
  const list = tools.map((tool) => `${dumps(tool)}\n`).join('')
  writer.add('<|system|>', TOOLS_HEAD + list + TOOLS_TAIL + exampleCall(feed))
}

interface Place {
  readonly message: PyDict
  readonly layout: Layout
  /** Whether thinking is switched off. */
  readonly isSilent: boolean
  readonly showsThought: boolean
  /** Of a result: whether it begins the turn that neighbouring results share. */
  readonly isFirstResult: boolean
}

/** As in the templates, a message of another role vanishes. */
function writeMessage(writer: PartWriter, place: Place): void {
  const { message, layout, isSilent } = place
  switch (roleOf(message)) {
    case 'system':
      writer.add('<|system|>', layout.feed + visibleText(message))
      return
    case 'user': {
      const text = visibleText(message)
      const silence = isSilent && !text.endsWith(layout.silence) ? layout.silence : ''
      writer.add('<|user|>', layout.feed + text + silence)
      return
    }
    case 'assistant':
      return writeAnswer(writer, place)
    case 'tool':
      return writeResult(writer, place)
    default:
  }
}

function writeAnswer(writer: PartWriter, { message, layout, showsThought }: Place): void {
  const { feed, noThought } = layout
  const { thought, content } = thoughtAndContent(message, visibleText(message))
  writer.add('<|assistant|>', feed)
  if (showsThought && thought !== '') writer.add('<think>', strip(thought), '</think>')
  else writer.add(...noThought)
  const said = strip(content)
  if (said !== '') writer.text(feed + said)
  for (const call of messageCalls(message)) {
    writer.text(feed)
    writer.add('<tool_call>', callText(feedsOf(feed), call.name, argumentsOf(call, layout)), '</tool_call>')
  }
}

function argumentsOf({ name, arguments: given }: MessageCall, { needsArguments }: Layout): PyDict {
  if (isDict(given)) return given
  if (needsArguments || truthy(given)) throw new Refusal(`the arguments of ${name} are no map`)
  return new Map()
}

/** Neighbouring results share a turn, unless they are lists. */
function writeResult(writer: PartWriter, { message, layout, isFirstResult }: Place): void {
  const { feed } = layout
  const content = message.get('content')
  const isText = typeof content === 'string'
  if (!isText || isFirstResult) writer.add('<|observation|>')
  for (const item of isText ? [content] : loopedItems(message)) {
    writer.text(feed)
    writer.add('<tool_response>', feed + resultText(item) + feed, '</tool_response>')
  }
}

function resultText(item: PyValue): string {
  return str((isDict(item) ? item.get('output') : null) ?? item)
}

/** The texts of the prompts, from the chat templates of GLM-4.6 and GLM-4.7 (MIT). */

/** Before the tools. */
const TOOLS_HEAD = `
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
`

/** After the tools. */
const TOOLS_TAIL = `</tools>

For each function call, output the function name and arguments within the following XML format:
`

function exampleCall(feed: string): string {
  const pair = (number: number): string =>
    `<arg_key>{arg-key-${number}}</arg_key>${feed}<arg_value>{arg-value-${number}}</arg_value>${feed}`
  return `<tool_call>{function-name}${feed}${pair(1)}${pair(2)}...${feed}</tool_call>`
}
