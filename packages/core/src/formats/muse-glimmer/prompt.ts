import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList, truthy } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome, PromptPart } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { messageCalls, printedMember, roleOf } from '../../conversation/message-view.ts'
import { dayOf, twoDigits } from '../../conversation/today.ts'
import { callText } from './grammar.ts'

/** The prompt as the template of Muse Glimmer writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add('<s>')
    const list = tools ?? []
    const isAsked = truthy(options.get('add_generation_prompt'))
    const hasSystem = messages.some((message) => roleOf(message) === 'system')
    const instructions = textParts(instructionsOf(list, options))
    let called: ReadonlyMap<PyValue, string> | null = null
    if (!hasSystem && (isAsked || list.length > 0))
      writeMessage(writer, 'system', [...textParts(defaultSystem(options)), ...instructions])
    for (const [index, message] of messages.entries()) {
      switch (roleOf(message)) {
        case 'system':
          writeMessage(writer, 'system', [...contentParts(message), ...instructions])
          break
        case 'user':
          writeMessage(writer, 'user', contentParts(message))
          break
        case 'tool':
          called ??= calledTools(messages)
          writeResult(writer, message, nameOf(message, called))
          break
        case 'assistant':
          writeAnswer(writer, message, roleOf(messages[index + 1]) === 'assistant')
          break
        default:
      }
    }
    if (isAsked) writer.add('<|start|>', 'assistant')
    return writer.parts()
  })
}

function writeMessage(writer: PartWriter, head: string, parts: readonly PromptPart[], end = '<|eot|>'): void {
  writer.add('<|start|>', head, '<|message|>')
  writer.show(parts)
  writer.add(end)
}

function textParts(text: string): readonly PromptPart[] {
  return [{ kind: 'text', text }]
}

/** Texts, and tokens for pictures and videos. */
function contentParts(message: PyDict): readonly PromptPart[] {
  const content = message.get('content') ?? null
  if (content === null || isDict(content)) return []
  if (typeof content === 'string') return textParts(content)
  if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
  return content.flatMap((part): readonly PromptPart[] => {
    const type = isDict(part) ? part.get('type') : undefined
    if (type === 'image' || type === 'video') return [{ kind: 'token', text: `<|${type}|>` }]
    return isDict(part) && type === 'text' ? textParts(printedMember(part, 'text')) : []
  })
}

/** As in the template: content next to calls is not shown. Each call is a message. */
function writeAnswer(writer: PartWriter, message: PyDict, goesOn: boolean): void {
  const thought = message.get('reasoning_content')
  if (truthy(thought)) {
    if (typeof thought !== 'string') throw new Refusal('the thought of a message is not a text')
    writeMessage(writer, 'assistant to=self', textParts(thought), '<|eom|>')
  }
  const calls = messageCalls(message)
  for (const [index, { name, arguments: given, isBare }] of calls.entries()) {
    if (isBare || !isDict(given)) throw new Refusal(`the arguments of ${name} are no map, or not in a function`)
    const isLast = index === calls.length - 1
    writeMessage(
      writer,
      `assistant to=${name}`,
      textParts(callText(name, given)),
      isLast && !goesOn ? '<|eot|>' : '<|eom|>',
    )
  }
  if (calls.length > 0) return
  const to = truthy(message.get('recipient')) ? printedMember(message, 'recipient') : 'user'
  const ends = message.get('end_turn') ?? null
  writeMessage(
    writer,
    `assistant to=${to}`,
    contentParts(message),
    (ends === null ? to === 'user' : truthy(ends)) ? '<|eot|>' : '<|eom|>',
  )
}

function writeResult(writer: PartWriter, message: PyDict, name: string): void {
  writer.add('<|start|>', `tool ${name}`, '<|message|>', `<tool_output name="${name}">\n`)
  writer.show(contentParts(message))
  writer.text('\n</tool_output>')
  writer.add('<|eot|>')
}

/** By the id of a call: the name of its tool. The last call with an id counts. */
function calledTools(messages: readonly PyDict[]): ReadonlyMap<PyValue, string> {
  return new Map(messages.flatMap(messageCalls).map(({ id, name }) => [id, name]))
}

/** The tool that a result is of: its name, or that of the call with its id, or the id. */
function nameOf(message: PyDict, called: ReadonlyMap<PyValue, string>): string {
  const id = message.get('tool_call_id') ?? null
  const own = message.get('name')
  const name = truthy(own) ? own : ((id === null ? undefined : called.get(id)) ?? (truthy(id) ? id : ''))
  if (typeof name !== 'string') throw new Refusal('the name of a result is not a text')
  return name
}

function defaultSystem(options: PyDict): string {
  const cutoff = truthy(options.get('knowledge_cutoff')) ? printedMember(options, 'knowledge_cutoff') : CUTOFF
  const today = dayOf(options)
  const day = truthy(options.get('current_date'))
    ? printedMember(options, 'current_date')
    : today === null
      ? ''
      : `${today.year}-${twoDigits(today.month)}-${twoDigits(today.day)}`
  const lines = [`You are a helpful AI assistant.\nKnowledge cutoff: ${cutoff}.`]
  return [...lines, ...(day === '' ? [] : [`Current date: ${day}.`])].join('\n')
}

/** What follows every system text. */
function instructionsOf(tools: readonly PyValue[], options: PyDict): string {
  const strength = truthy(options.get('reasoning_strength')) ? printedMember(options, 'reasoning_strength') : 'high'
  const shown = tools.map(toolView)
  const spaces = [...new Set(shown.map(({ name }) => name.split('.')[0] ?? ''))]
  const recipients = ['"self"', ...spaces.map((space) => `"${space}.*"`), '"user"']
  const known = options.get('tool_namespace_descriptions')
  const described = spaces.map((space) => {
    const description = isDict(known) ? (known.get(space) ?? '') : ''
    return `{"name": ${dumps(space)}, "description": ${dumps(description)}}\n`
  })
  const list = `${TOOLS_HEAD}${described.join('')}// Function schemas${shown.map(({ text }) => text).join('')}${TOOLS_TAIL}`
  return [
    '',
    `Reasoning strength: ${strength}.`,
    ...(tools.length === 0 ? [] : [list]),
    `# Valid recipients: ${recipients.join(', ')}.`,
  ].join('\n\n')
}

function toolView(tool: PyValue): { readonly name: string; readonly text: string } {
  const inner = isDict(tool) ? (tool.get('function') ?? tool) : null
  const name = isDict(inner) ? inner.get('name') : null
  const [description, parameters] = isDict(inner) ? [inner.get('description'), inner.get('parameters')] : []
  if (typeof name !== 'string' || description === undefined || parameters === undefined)
    throw new Refusal('a tool lacks its name, its description or its parameters')
  const text = `\n{"name": ${dumps(name)}, "description": ${dumps(description)}, "parameters": ${dumps(parameters)}}`
  return { name, text }
}

/** The texts of the prompt, from the chat template of Muse Glimmer in vLLM (Apache-2.0; sha256 a3e32125…53f5). */

const CUTOFF = '2026-01-04'

/** Before the tools. */
const TOOLS_HEAD = `In this environment you have access to a set of tools you can use to answer the user's question.

You can invoke a function by writing a "<atem:function_calls>" block like the following:
<atem:function_calls>
<atem:invoke name="$FUNCTION_NAME">
<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>
...
</atem:invoke>
</atem:function_calls>

String and scalar parameters should be specified as is, while lists and objects should use JSON format. Note that spaces for string values are not stripped. The output is not expected to be valid XML and is parsed with regular expressions.
Here are the functions available in JSONSchema format:
// Tool metadata
`

/** After the tools. */
const TOOLS_TAIL = `

Here's an example of how to call a function in the tool set. To make parallel tool calls, emit each call as its own message (one tool call per message) in consecutive messages:
(If the tool namespace is not specified, invoke the function directly as \`example_function_name\` rather than \`example_tool_name.example_function_name\`)

to=example_tool_name.example_function_name

<atem:function_calls>
<atem:invoke name="example_tool_name.example_function_name">
<atem:parameter name="example_parameter_1">value_1</atem:parameter>
<atem:parameter name="example_parameter_2">This is the value for the second parameter
that can span
"multiple" lines
</atem:parameter>
</atem:invoke>
</atem:function_calls>`
