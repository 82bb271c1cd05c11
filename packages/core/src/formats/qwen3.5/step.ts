import { dumps, isDict, isList, str, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { joinParts, partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome, PromptPart } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, thoughtAndContent } from '../../conversation/message-view.ts'
import { TAG_FORM, taggedCall } from '../shared-states.ts'

/** In what the templates differ. */
interface Template {
  /** Between neighbouring texts of a message that is a list. */
  readonly betweenTexts: '' | ' '
  /** Whether `reasoning_effort` is named in the system turn, and `preserve_thinking` keeps the thoughts of old turns. */
  readonly hasOptions: boolean
}

/** The prompt as the template of Step-3.5-Flash writes it. */
export function step35Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, { betweenTexts: '', hasOptions: false })
}

/** That of Step-3.7-Flash, as llama.cpp has it. */
export function step37Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, { betweenTexts: ' ', hasOptions: true })
}

function write({ messages, tools, options }: Conversation, template: Template): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const writer = partWriter()
    if (options.has('bos_token')) writer.add(str(options.get('bos_token') ?? null))
    writeSystem(writer, { first, tools: tools ?? [], effort: effortIn(options, template), template })
    const lastQuery = messages.findLastIndex((message) => isQuery(message, template))
    const keepsAll = template.hasOptions && truthy(options.get('preserve_thinking'))
    for (const [index, message] of messages.entries()) {
      // Without a question no thought is shown.
      const showsThought = keepsAll || (lastQuery >= 0 && index > lastQuery)
      writeMessage(writer, { message, messages, index, showsThought, template })
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<|im_start|>', 'assistant\n', '<think>', '\n')
    return writer.parts()
  })
}

/** The line that names the effort; empty where none is given. */
function effortIn(options: PyDict, { hasOptions }: Template): string {
  const effort = options.get('reasoning_effort')
  if (!hasOptions || effort === undefined) return ''
  if (typeof effort !== 'string') throw new Refusal('the reasoning_effort is no text')
  return `Reasoning: ${effort}\n\n`
}

interface System {
  readonly first: PyDict
  readonly tools: readonly PyValue[]
  readonly effort: string
  readonly template: Template
}

/** The system text comes first, then the tools. */
function writeSystem(writer: PartWriter, { first, tools, effort, template }: System): void {
  const said = roleOf(first) === 'system' ? shownContent(first, template) : null
  if (said === null && tools.length === 0 && effort === '') return
  writer.add('<|im_start|>', `system\n${effort}`)
  if (said !== null) writer.show(said)
  if (tools.length > 0) {
    const list = tools.map((tool) => `\n${dumps(tool)}`).join('')
    writer.text(`${said === null ? '' : '\n\n'}${TOOLS_HEAD}${list}${TOOLS_TAIL}`)
  }
  writer.add('<|im_end|>', '\n')
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
  readonly showsThought: boolean
  readonly template: Template
}

/** As in the template, a message of another role vanishes. */
function writeMessage(writer: PartWriter, place: Place): void {
  const { message, index, template } = place
  const role = roleOf(message)
  switch (role) {
    case 'system':
      if (index === 0) return
      return writeTurn(writer, message.get('name') === 'observation' ? 'observation' : role, place)
    case 'user':
      return writeTurn(writer, role, place)
    case 'assistant':
      return writeAnswer(writer, joinParts(shownContent(message, template)), place)
    case 'tool':
      return writeResult(writer, place)
    default:
  }
}

function writeTurn(writer: PartWriter, role: string, { message, template }: Place): void {
  writer.add('<|im_start|>', `${role}\n`)
  writer.show(shownContent(message, template))
  writer.add('<|im_end|>', '\n')
}

function writeAnswer(writer: PartWriter, said: string, { message, showsThought }: Place): void {
  const { thought, content } = thoughtAndContent(message, said)
  writer.add('<|im_start|>', 'assistant\n')
  if (showsThought) writer.add('<think>', `\n${thought}\n`, '</think>', '\n')
  writer.text(content)
  for (const call of messageCalls(message))
    writer.add('<tool_call>', taggedCall(call.name, mapArguments(call)), '</tool_call>')
  writer.add('<|im_end|>', '\n')
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, { message, messages, index, template }: Place): void {
  if (roleOf(messages[index - 1]) !== 'tool') writer.add('<|im_start|>', 'tool_response\n')
  writer.add('<tool_response>')
  writer.show(shownContent(message, template))
  writer.add('</tool_response>')
  if (roleOf(messages[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
}

/** A user message that is no more than results asks nothing. */
function isQuery(message: PyDict, template: Template): boolean {
  if (roleOf(message) !== 'user') return false
  const text = joinParts(shownContent(message, template))
  return !(text.startsWith('<tool_response>') && text.endsWith('</tool_response>'))
}

/** The texts of a list, and a token for each picture. */
function shownContent(message: PyDict, { betweenTexts }: Template): readonly PromptPart[] {
  const content = message.get('content') ?? null
  if (content === null) return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (isDict(content)) return [{ kind: 'text', text: textOf(content) }]
  if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
  const writer = partWriter()
  let isBehindText = false
  for (const item of content) {
    const type = isDict(item) ? item.get('type') : undefined
    if (isDict(item) && type === 'text') {
      writer.text((isBehindText ? betweenTexts : '') + textOf(item))
      isBehindText = true
    } else if (type === 'image') {
      writer.add('<im_patch>')
      isBehindText = false
    }
  }
  return writer.parts()
}

function textOf(item: PyDict): string {
  const value = item.has('value') ? item.get('value') : item.get('text')
  return value === undefined ? '' : str(value)
}

/** The texts of the prompt, from the chat template of Step-3.5-Flash (Apache-2.0). */
const TOOLS_HEAD = '# Tools\n\nYou have access to the following functions in JSONSchema format:\n\n<tools>'

const TOOLS_TAIL = `
</tools>
${TAG_FORM}- Function calls MUST follow the specified format: an inner <function=...>
...
</function> block must be nested within <tool_call>
...
</tool_call> XML tags
- Required parameters MUST be specified
</IMPORTANT>`
