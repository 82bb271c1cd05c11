import { joinParts, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome, PromptPart } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { thoughtAndContent } from '../../conversation/template-text.ts'
import { dumps, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { INSTRUCTION } from '../qwen3-coder/templates.ts'
import { callText } from '../qwen3-coder/write.ts'
import { contentShower } from './content.ts'
import type { ShowContent } from './content.ts'

/** The prompt as the template of Qwen3.5 writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const first = messages[0]
    if (first === undefined) throw new Refusal('there is no message')
    const writer = partWriter()
    writeSystem(writer, roleOf(first) === 'system' ? systemText(first) : null, tools ?? [])
    const show = contentShower(options)
    const lastQuery = messages.findLastIndex(isQuery)
    if (lastQuery < 0) throw new Refusal('no message of the user is a question')
    for (const [index, message] of messages.entries())
      writeMessage(writer, { message, messages, index, isBehindQuery: index > lastQuery, show })
    if (truthy(options.get('add_generation_prompt'))) {
      writer.add('<|im_start|>', 'assistant\n', '<think>', '\n')
      if (options.get('enable_thinking') === false) writer.add('', '\n', '</think>', '\n\n')
    }
    return writer.parts()
  })
}

/** The tools come first, the system text behind them. */
function writeSystem(writer: PartWriter, system: string | null, tools: readonly PyValue[]): void {
  if (tools.length === 0) {
    if (system !== null) writer.add('<|im_start|>', `system\n${system}`, '<|im_end|>', '\n')
    return
  }
  const list = tools.map((tool) => `\n${dumps(tool)}`).join('')
  const text = system === null || system === '' ? '' : `\n\n${system}`
  writer.add('<|im_start|>', `${TOOLS_HEAD}${list}\n</tools>${INSTRUCTION}${text}`, '<|im_end|>', '\n')
}

const TOOLS_HEAD = 'system\n# Tools\n\nYou have access to the following functions:\n\n<tools>'

function systemText(message: PyDict): string {
  const parts = contentShower(NO_OPTIONS)(message)
  if (parts.some(({ kind }) => kind === 'token')) throw new Refusal('the system message holds a picture or a video')
  return joinParts(parts)
}

const NO_OPTIONS: PyDict = new Map()

/** A user message that is no more than results asks nothing. */
function isQuery(message: PyDict): boolean {
  if (roleOf(message) !== 'user') return false
  const text = joinParts(contentShower(NO_OPTIONS)(message))
  return !(text.startsWith('<tool_response>') && text.endsWith('</tool_response>'))
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
  /** Thoughts are shown behind the last question only. */
  readonly isBehindQuery: boolean
  readonly show: ShowContent
}

function writeMessage(writer: PartWriter, place: Place): void {
  const { message, index, show } = place
  const role = roleOf(message)
  const parts = show(message)
  switch (role) {
    case 'system':
      if (index > 0) throw new Refusal('a system message is not the first message')
      return
    case 'user':
      writer.add('<|im_start|>', 'user\n')
      writer.show(parts)
      writer.add('<|im_end|>', '\n')
      return
    case 'assistant':
      return writeAnswer(writer, joinParts(parts), place)
    case 'tool':
      return writeResult(writer, parts, place)
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

function writeAnswer(writer: PartWriter, said: string, { message, isBehindQuery }: Place): void {
  const { thought, content } = thoughtAndContent(message, said)
  writer.add('<|im_start|>', 'assistant\n')
  if (isBehindQuery) writer.add('<think>', `\n${strip(thought)}\n`, '</think>', '\n\n')
  writer.text(content)
  for (const [index, call] of messageCalls(message).entries()) {
    writer.text(index > 0 ? '\n' : strip(content) === '' ? '' : '\n\n')
    writer.add('<tool_call>', callText(call.name, mapArguments(call)), '</tool_call>')
  }
  writer.add('<|im_end|>', '\n')
}

/** Neighbouring results share a turn; as in the template: a result at the front has no head. */
function writeResult(writer: PartWriter, parts: readonly PromptPart[], { messages, index }: Place): void {
  if (index > 0 && roleOf(messages[index - 1]) !== 'tool') writer.add('<|im_start|>', 'user')
  writer.text('\n')
  writer.add('<tool_response>', '\n')
  writer.show(parts)
  writer.text('\n')
  writer.add('</tool_response>')
  if (roleOf(messages[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
}
