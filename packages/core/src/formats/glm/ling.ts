import { dumps, lstrip, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, textMember, thoughtAndContent } from '../../conversation/message-view.ts'
import { callText } from './grammar.ts'
import type { CallFeeds } from './grammar.ts'

/** Between the tags of a call. */
export const LING_FEEDS: CallFeeds = { afterName: '\n', inPair: '\n', afterValue: '', beforeClose: '\n' }

const END = '<|role_end|>'

/** The prompt as the template of Ling 3 writes it. */
export function lingPrompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const thinking = thinkingIn(options)
    const writer = partWriter()
    writeSystem(writer, { system: roleOf(first) === 'system' ? textMember(first, 'content') : null, tools, thinking })
    for (const [index, message] of messages.entries()) writeMessage(writer, { message, messages, index })
    if (truthy(options.get('add_generation_prompt'))) {
      writeHead(writer, 'ASSISTANT')
      if (thinking === 'on') writer.add('', '\n', '<think>')
      if (thinking === 'off') writer.add('', '\n', '<think>', '', '</think>')
    }
    return writer.parts()
  })
}

/** The word behind `detailed thinking` in the system turn. */
function thinkingIn(options: PyDict): string {
  if (options.has('enable_thinking')) return truthy(options.get('enable_thinking')) ? 'on' : 'off'
  const given = options.get('thinking_option') ?? 'on'
  if (typeof given !== 'string' || (options.has('thinking_option') && options.get('thinking_option') === null))
    throw new Refusal('the thinking_option is no text')
  return given
}

function writeHead(writer: PartWriter, role: string): void {
  writer.add('<role>', role, '</role>')
}

interface System {
  /** Null where the first message is not one of the system. */
  readonly system: string | null
  readonly tools: Conversation['tools']
  readonly thinking: string
}

function writeSystem(writer: PartWriter, { system, tools, thinking }: System): void {
  const isSaid = system?.includes('detailed thinking on') === true || system?.includes('detailed thinking off') === true
  writeHead(writer, 'SYSTEM')
  if (system !== null) writer.text(system)
  if (truthy(tools ?? null)) {
    const list = (tools ?? []).map((tool) => `\n${dumps(tool)}`).join('')
    writer.text(`${system === null ? '' : '\n'}${TOOLS_HEAD}${list}${TOOLS_TAIL}`)
  } else if (system !== null && !isSaid) writer.text('\n')
  writer.add('', isSaid ? '' : `detailed thinking ${thinking}`, END)
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
}

/** As in the template, a message of another role vanishes. */
function writeMessage(writer: PartWriter, place: Place): void {
  const { message, index } = place
  switch (roleOf(message)) {
    case 'user':
      return writeTurn(writer, 'HUMAN', message)
    case 'system':
      return index === 0 ? undefined : writeTurn(writer, 'SYSTEM', message)
    case 'assistant':
      return writeAnswer(writer, message)
    case 'tool':
      return writeResult(writer, place)
    default:
  }
}

function writeTurn(writer: PartWriter, role: string, message: PyDict): void {
  writeHead(writer, role)
  writer.add('', textMember(message, 'content'), END)
}

/** Content that is no text is left out. */
function textIn(message: PyDict): string {
  const content: PyValue = message.get('content') ?? null
  return typeof content === 'string' ? content : ''
}

/** Every turn shows its thought, be it empty. */
function writeAnswer(writer: PartWriter, message: PyDict): void {
  const given = message.get('reasoning_content')
  const found =
    typeof given === 'string' && given !== ''
      ? { thought: given, content: textIn(message) }
      : thoughtAndContent(new Map([['content', textIn(message)]]), textIn(message))
  const { thought, content } = found
  writeHead(writer, 'ASSISTANT')
  writer.add('', '\n', '<think>', strip(thought, '\n'), '</think>', thought === '' ? content : lstrip(content, '\n'))
  for (const [index, call] of messageCalls(message).entries()) {
    if (call.lacksArguments) throw new Refusal(`the call of ${call.name} has no arguments`)
    writer.text(index > 0 || content !== '' ? '\n' : '')
    writer.add('<tool_call>', callText(LING_FEEDS, call.name, mapArguments(call)), '</tool_call>')
  }
  writer.add(END)
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, { message, messages, index }: Place): void {
  if (roleOf(messages[index - 1]) !== 'tool') writeHead(writer, 'OBSERVATION')
  writer.add('', '\n', '<tool_response>', `\n${textIn(message)}\n`, '</tool_response>')
  if (roleOf(messages[index + 1]) !== 'tool') writer.add(END)
}

/** The texts of the prompt, from the chat template of Ling 3 (MIT). */
const TOOLS_HEAD =
  '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within ' +
  '<tools></tools> XML tags:\n<tools>'

const TOOLS_TAIL = `
</tools>

If none of the functions can be used, point it out. If the given question lacks the parameters required by the function, also point it out.
If you need to use a function, for each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call>
`
