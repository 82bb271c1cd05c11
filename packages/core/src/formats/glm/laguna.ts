import { dumps, rstrip, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, thoughtAndContent } from '../../conversation/message-view.ts'
import type { MessageCall, ThoughtAndContent } from '../../conversation/message-view.ts'
import { callText, feedsOf } from './grammar.ts'
import type { CallFeeds } from './grammar.ts'

/** Between the tags of a call of Laguna XS. */
export const LAGUNA_FEEDS: CallFeeds = { afterName: '\n', inPair: '\n', afterValue: '\n', beforeClose: '' }

const DEFAULT_SYSTEM =
  'You are a helpful, conversationally-fluent assistant made by Poolside. You are here to be helpful to users through natural language conversations.'

/** The prompt as the template of Laguna XS.2 writes it. */
export function lagunaXs2Prompt(conversation: Conversation): PromptOutcome {
  return writeXs(conversation, DEFAULT_SYSTEM)
}

/** That of Laguna XS 2.1, which has no system text of its own. */
export function lagunaXs21Prompt(conversation: Conversation): PromptOutcome {
  return writeXs(conversation, '')
}

function writeXs({ messages, tools, options }: Conversation, defaultSystem: string): PromptOutcome {
  return prompting(() => {
    if (truthy(options.get('render_assistant_messages_raw')))
      throw new Refusal('render_assistant_messages_raw is for training: callspec does not write such prompts')
    const thinks = truthy(options.get('enable_thinking'))
    const writer = partWriter()
    writer.add(BEGIN)
    writeXsSystem(writer, { system: systemOf(messages, defaultSystem), tools: tools ?? [], thinks })
    for (const [index, message] of messages.entries()) {
      switch (roleOf(message)) {
        case 'user':
          writer.add('<user>', `\n${textIn(message)}\n`, '</user>', '\n')
          break
        case 'assistant':
          writeXsAnswer(writer, message)
          break
        case 'tool':
          writer.add('<tool_response>', `\n${textIn(message)}\n`, '</tool_response>', '\n')
          break
        case 'system':
          if (index > 0) writer.add('<system>', `\n${textIn(message)}\n`, '</system>', '\n')
          break
        default:
      }
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<assistant>', '\n', thinks ? '<think>' : '</think>')
    return writer.parts()
  })
}

const BEGIN = '〈|EOS|〉'

/** The text of the system message, or that of the template; empty for null. */
function systemOf(messages: readonly PyDict[], defaultSystem: string): string {
  const [first] = messages
  if (roleOf(first) !== 'system') return defaultSystem
  const content = first?.get('content') ?? null
  if (!truthy(content)) return ''
  if (typeof content !== 'string') throw new Refusal('the content of the system message is no text')
  return content
}

interface System {
  readonly system: string
  readonly tools: readonly PyValue[]
  readonly thinks: boolean
}

function writeXsSystem(writer: PartWriter, { system, tools, thinks }: System): void {
  const isSaid = strip(system) !== ''
  if (!isSaid && tools.length === 0) return
  writer.add('<system>', `\n${isSaid ? `\n${rstrip(system)}` : ''}`)
  if (tools.length > 0) {
    const ask = thinks ? `${ASK_THINKING}<think> your thoughts here </think>\n` : ASK
    writer.text(`\n\n${toolsText(tools)}\n\n${ask}${EXAMPLE}`)
  }
  writer.add('', '\n', '</system>', '\n')
}

/** Content that is no text is left out. */
function textIn(message: PyDict): string {
  const content = message.get('content') ?? null
  return typeof content === 'string' ? content : ''
}

/** The first of the two members that is a text. */
function givenThought(message: PyDict): string {
  const found = [message.get('reasoning'), message.get('reasoning_content')].find((each) => typeof each === 'string')
  return typeof found === 'string' ? found : ''
}

/** A thought in the content is cut out, and shown if no other is given. */
function xsThought(message: PyDict): ThoughtAndContent {
  const given = givenThought(message)
  const cut = thoughtAndContent(new Map(), textIn(message))
  return { thought: given === '' ? cut.thought : given, content: cut.content }
}

function writeXsAnswer(writer: PartWriter, message: PyDict): void {
  const { thought, content } = xsThought(message)
  writer.add('<assistant>', '\n')
  if (thought !== '') writer.add('<think>', `\n${strip(thought)}\n`)
  writer.add('</think>', '\n')
  const said = strip(content)
  if (said !== '') writer.text(`${said}\n`)
  for (const call of messageCalls(message))
    writer.add('<tool_call>', callText(LAGUNA_FEEDS, call.name, argumentsOf(call)), '</tool_call>', '\n')
  writer.add('</assistant>', '\n')
}

function argumentsOf(call: MessageCall): PyDict {
  if (call.isBare || call.lacksArguments) throw new Refusal(`the call of ${call.name} has no "function" with arguments`)
  return mapArguments(call)
}

/** The prompt as the template of Laguna S 2.1 writes it: without line feeds inside a turn, and without words about the syntax of calls. */
export function lagunaS21Prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const thinks = truthy(options.get('enable_thinking'))
    const writer = partWriter()
    writer.add(BEGIN)
    const system = systemOf(messages, DEFAULT_SYSTEM)
    const said = [strip(system) === '' ? '' : rstrip(system), truthy(tools ?? null) ? toolsText(tools ?? []) : '']
    const shown = said.filter((each) => each !== '').join('\n\n')
    if (shown !== '' || thinks) writer.add('<system>', shown, '</system>', '\n')
    for (const message of roleOf(messages[0]) === 'system' ? messages.slice(1) : messages)
      writeSMessage(writer, message, thinks)
    if (truthy(options.get('add_generation_prompt'))) writer.add('<assistant>', '', thinks ? '<think>' : '</think>')
    return writer.parts()
  })
}

function writeSMessage(writer: PartWriter, message: PyDict, thinks: boolean): void {
  const text = textIn(message)
  switch (roleOf(message)) {
    case 'user':
      return writer.add('<user>', text, '</user>', '\n')
    case 'tool':
      return writer.add('<tool_response>', text, '</tool_response>', '\n')
    case 'system':
      return writer.add('<system>', text, '</system>', '\n')
    case 'assistant':
      writer.add('<assistant>')
      if (thinks) writer.add('<think>', givenThought(message))
      writer.add('</think>', text)
      for (const call of messageCalls(message))
        writer.add('<tool_call>', callText(feedsOf(''), call.name, argumentsOf(call)), '</tool_call>')
      return writer.add('</assistant>', '\n')
    default:
  }
}

/** The texts of the prompts, from the chat templates of Laguna XS.2, XS 2.1 and S 2.1 (as carried by llama.cpp: MIT). */
function toolsText(tools: readonly PyValue[]): string {
  const list = tools.map((tool) => `${dumps(tool)}\n`).join('')
  return `${TOOLS_HEAD}${list}</available_tools>`
}

const TOOLS_HEAD =
  '### Tools\n\nYou may call functions to assist with the user query.\nAll available function signatures are listed below:\n<available_tools>\n'

const CALL_FORM =
  "return an unescaped XML-like object with function name and arguments within '<tool_call>' and '</tool_call>' tags, like here:\n"

const ASK = `For each function call, ${CALL_FORM}`
const ASK_THINKING = `Wrap your thinking in '<think>', '</think>' tags, followed by a function call. ${ASK}`

const EXAMPLE =
  '<tool_call>function-name\n<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n</tool_call>'
