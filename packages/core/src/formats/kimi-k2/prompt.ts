import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { argumentsText, contentText, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, str, isDict, isList, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { CALL_TOKENS, SECTION } from './write.ts'

/** Where the two templates differ. */
interface Template {
  /** Before and behind the tools. */
  readonly tools: (json: string) => string
  /** Between the line that names the call and the result. */
  readonly result: string
  /** Whether every assistant turn has a thought, which is empty before the last answer without calls. */
  readonly hasThoughts: boolean
}

const K2: Template = { tools: (json) => `\n  # Tools\n  ${json}`, result: '\n    ', hasThoughts: false }
const THINKING: Template = { tools: (json) => json, result: '\n', hasThoughts: true }

const DEFAULT_SYSTEM = 'You are Kimi, an AI assistant created by Moonshot AI.'

/** The prompt of Kimi K2 Instruct 0905. */
export function prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, K2)
}

/** The prompt of Kimi K2 Thinking. */
export function thinkingPrompt(conversation: Conversation): PromptOutcome {
  return write(conversation, THINKING)
}

function write({ messages, tools, options }: Conversation, template: Template): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    if (isList(tools) && tools.length > 0)
      writeTurn(writer, ['<|im_system|>', 'tool_declare'], () => writer.text(template.tools(dumps(tools))))
    if (roleOf(messages[0]) !== 'system')
      writeTurn(writer, ['<|im_system|>', 'system'], () => writer.text(DEFAULT_SYSTEM))
    const lastAnswer = messages.findLastIndex(
      (message) => roleOf(message) === 'assistant' && messageCalls(message).length === 0,
    )
    for (const [index, message] of messages.entries()) {
      const role = roleOf(message)
      const name = message.get('name')
      const shown = typeof name === 'string' && name !== '' ? name : role
      writeTurn(writer, [TURNS.get(role) ?? '<|im_system|>', shown], () => {
        if (role === 'tool') writeResult(writer, message, template)
        else if (role === 'assistant') writeAnswer(writer, message, thoughtOf(message, index > lastAnswer, template))
        else writer.text(partsText(message))
      })
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<|im_assistant|>', 'assistant', '<|im_middle|>')
    return writer.parts()
  })
}

const TURNS: ReadonlyMap<string, string> = new Map([
  ['user', '<|im_user|>'],
  ['assistant', '<|im_assistant|>'],
])

function writeTurn(writer: PartWriter, [token, name]: readonly [string, string], body: () => void): void {
  writer.add(token, name, '<|im_middle|>')
  body()
  writer.add('<|im_end|>')
}

function writeResult(writer: PartWriter, message: PyDict, { result }: Template): void {
  const id = message.get('tool_call_id') ?? null
  writer.text(`## Return of ${id === null ? '' : str(id)}${result}${partsText(message)}`)
}

/** Null where the template shows no thoughts. */
function thoughtOf(message: PyDict, isShown: boolean, { hasThoughts }: Template): string | null {
  if (!hasThoughts) return null
  const thought = message.get('reasoning_content')
  return isShown && typeof thought === 'string' ? thought : ''
}

function writeAnswer(writer: PartWriter, message: PyDict, thought: string | null): void {
  if (thought !== null) writer.add('<think>', thought, '</think>')
  writer.text(partsText(message))
  const calls = messageCalls(message)
  if (calls.length === 0) return
  writer.add(SECTION.open)
  for (const { id, arguments: given } of calls)
    writer.add(CALL_TOKENS[0], id ?? '', CALL_TOKENS[1], argumentsText(given), CALL_TOKENS[2])
  writer.add(SECTION.close)
}

/** A list of parts is shown as the texts in it. */
function partsText(message: PyDict): string {
  const content = message.get('content') ?? null
  if (!isList(content)) return contentText(message)
  return content.map((part) => (isDict(part) ? str(part.get('text') ?? '') : str(part))).join('')
}
