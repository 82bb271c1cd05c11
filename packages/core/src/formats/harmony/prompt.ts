import type { Conversation, PromptOutcome, PartWriter } from '../../conversation/conversation.ts'
import { prompting, Refusal, partWriter } from '../../conversation/conversation.ts'
import { roleOf, argumentsText, messageCalls } from '../../conversation/message-view.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList, truthy, str } from '@callspec/python'
import { definesFunctions, developerText, systemText, textIn, EFFORTS } from './sections.ts'
import { CALL, CHANNEL, CONSTRAIN, END, MESSAGE, RETURN, START, FUNCTIONS } from './grammar.ts'
import { dayOf, twoDigits } from '../../conversation/today.ts'
import { toolOf } from '../../grammar/values.ts'

/**
 * The prompt of messages in the OpenAI shape, or of the format's own under the option `conversation`. Messages follow each other
 * without a separator. The mode `completion` ends with the head of the next message; a training text ends with `<|return|>`.
 */
export function prompt(given: Conversation): PromptOutcome {
  return prompting(() => {
    const { options } = given
    const own = options.get('conversation')
    const isAsked = truthy(options.get('add_generation_prompt') ?? true)
    const mode = isList(own) ? (options.get('mode') ?? 'completion') : isAsked ? 'completion' : 'conversation'
    if (typeof mode !== 'string' || !MODES.has(mode))
      throw new Refusal('the mode is not completion, conversation or training')
    const read = isList(own) ? fromOwn(own) : fromChat(given)
    const shown = options.get('auto_drop_analysis') === false ? read : withoutOldThoughts(read)
    const writer = partWriter()
    for (const [index, message] of shown.entries())
      writeMessage(writer, message, mode === 'training' && index === shown.length - 1)
    if (mode === 'completion') writer.add(START, 'assistant')
    return writer.parts()
  })
}

const MODES: ReadonlySet<string> = new Set(['completion', 'conversation', 'training'])

/** A message with what its head says. */
interface HarmonyMessage {
  /** `user`, `assistant`, `system`, `developer`, or the name of a tool. */
  readonly role: string
  readonly name: string | null
  readonly recipient: string | null
  readonly channel: string | null
  /** Such as `<|constrain|>json`. */
  readonly type: string | null
  readonly text: string
}

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer', 'tool'])

/** Messages in the shape of the format's own library. */
function fromOwn(messages: readonly PyValue[]): readonly HarmonyMessage[] {
  const hasFunctions = messages.some((message) => isDict(message) && partsOf(message).some(definesFunctions))
  return messages.map((message) => readMessage(message, hasFunctions))
}

function readMessage(message: PyValue, hasFunctions: boolean): HarmonyMessage {
  if (!isDict(message)) throw new Refusal('a message of the conversation is no object')
  const role = roleOf(message)
  if (!ROLES.has(role)) throw new Refusal(`there is no role "${role}"`)
  const name = textIn(message, 'name')
  if (role === 'tool' && name === null) throw new Refusal('a message of a tool has no name')
  const texts = partsOf(message).map((part) => partText(part, { role, hasFunctions }))
  // Who speaks is the tool.
  const isTool = role === 'tool'
  return {
    role: isTool ? (name ?? '') : role,
    name: isTool ? null : name,
    recipient: textIn(message, 'recipient'),
    channel: textIn(message, 'channel'),
    type: textIn(message, 'content_type'),
    text: texts.join(''),
  }
}

function partsOf(message: PyDict): readonly PyValue[] {
  const content = message.get('content') ?? null
  return isList(content) ? content : [content]
}

interface PartPlace {
  readonly role: string
  readonly hasFunctions: boolean
}

function partText(part: PyValue, { role, hasFunctions }: PartPlace): string {
  if (typeof part === 'string') return part
  if (!isDict(part)) throw new Refusal('a part of a message is neither a text nor an object')
  const type = part.get('type')
  if (type === 'text') return textIn(part, 'text') ?? ''
  if (type === 'system_content' && role === 'system') return systemText(part, hasFunctions)
  if (type === 'developer_content' && role === 'developer') return developerText(part)
  throw new Refusal(`a message of the role "${role}" has a part that does not belong there`)
}

/** Where the last message of the assistant is an answer, thoughts before the first answer are dropped. */
function withoutOldThoughts(messages: readonly HarmonyMessage[]): readonly HarmonyMessage[] {
  const first = messages.findIndex(({ channel }) => channel === 'final')
  if (messages.findLast(({ role }) => role === 'assistant')?.channel !== 'final') return messages
  return messages.filter(({ channel }, index) => index >= first || channel !== 'analysis')
}

function writeMessage(writer: PartWriter, message: HarmonyMessage, endsTraining: boolean): void {
  const { role, name, recipient, channel, type, text } = message
  const to = recipient === null || recipient === 'all' ? '' : ` to=${recipient}`
  writer.add(START, role + (name === null ? '' : `:${name}`) + to)
  if (channel !== null) writer.add(CHANNEL, channel)
  if (type !== null) {
    const isMarked = type.startsWith(CONSTRAIN)
    writer.text(isMarked ? ' ' : ` ${type}`)
    if (isMarked) writer.add(CONSTRAIN, type.slice(CONSTRAIN.length))
  }
  writer.add(MESSAGE, text)
  const isCall = role === 'assistant' && recipient !== null
  const isLastAnswer = endsTraining && role === 'assistant' && channel === 'final'
  writer.add(isLastAnswer ? RETURN : isCall ? CALL : END)
}

/** Messages in the OpenAI shape. */
function fromChat({ messages, tools, options }: Conversation): readonly HarmonyMessage[] {
  const names = new Map<string, string>()
  const given = isList(tools) ? tools : []
  const first = messages.findIndex((message) => INSTRUCTS.has(roleOf(message)))
  const said = messages[first] === undefined ? '' : textOf(messages[first])
  const system = systemMessage(options, given.length > 0)
  const rest = messages.filter((_, index) => index !== first).flatMap((message) => messagesOf(message, names))
  return [system, ...developerMessage(said, given), ...rest]
}

/** A message without a name; null for what its head does not say. */
function messageOf(
  role: string,
  text: string,
  head: Partial<Pick<HarmonyMessage, 'recipient' | 'channel' | 'type'>> = {},
): HarmonyMessage {
  const { recipient = null, channel = null, type = null } = head
  return { role, name: null, recipient, channel, type, text }
}

const INSTRUCTS: ReadonlySet<string> = new Set(['system', 'developer'])

function dict(members: { readonly [key: string]: PyValue }): PyDict {
  return new Map(Object.entries(members))
}

function systemMessage(options: PyDict, hasFunctions: boolean): HarmonyMessage {
  const day = dayOf(options)
  const given = options.get('reasoning_effort') ?? 'medium'
  const effort = EFFORTS.find((each) => each.toLowerCase() === given)
  if (effort === undefined) throw new Refusal('the effort is not low, medium or high')
  const content = dict({
    model_identity: 'You are ChatGPT, a large language model trained by OpenAI.',
    knowledge_cutoff: '2024-06',
    conversation_start_date: day === null ? null : `${day.year}-${twoDigits(day.month)}-${twoDigits(day.day)}`,
    reasoning_effort: effort,
    channel_config: dict({ valid_channels: ['analysis', 'commentary', 'final'], channel_required: true }),
  })
  return messageOf('system', systemText(content, hasFunctions))
}

function developerMessage(said: string, tools: readonly PyValue[]): readonly HarmonyMessage[] {
  if (said === '' && tools.length === 0) return []
  const functions = dict({ functions: dict({ tools: tools.map(toolOf) }) })
  const content = dict({
    instructions: said === '' ? null : said,
    tools: tools.length === 0 ? null : functions,
  })
  return [messageOf('developer', developerText(content))]
}

function messagesOf(message: PyDict, names: Map<string, string>): readonly HarmonyMessage[] {
  const role = roleOf(message)
  switch (role) {
    case 'system':
    case 'developer':
      return developerMessage(textOf(message), [])
    case 'user':
      return [messageOf(role, textOf(message))]
    case 'assistant':
      return assistantMessages(message, names)
    case 'tool':
    case 'function': {
      const head = { recipient: 'assistant', channel: 'commentary' }
      return [messageOf(FUNCTIONS + toolName(message, names), textOf(message), head)]
    }
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

/** A thought, the content, and the calls, in this order. */
function assistantMessages(message: PyDict, names: Map<string, string>): readonly HarmonyMessage[] {
  const role = 'assistant'
  const calls = messageCalls(message)
  const thought = THOUGHT_KEYS.map((key) => message.get(key)).find((each) => typeof each === 'string' && each !== '')
  const said = textOf(message)
  const found: HarmonyMessage[] = []
  if (typeof thought === 'string') found.push(messageOf(role, thought, { channel: 'analysis' }))
  if (said !== '' || (calls.length === 0 && typeof message.get('content') === 'string'))
    found.push(messageOf(role, said, { channel: calls.length === 0 ? 'final' : 'commentary' }))
  for (const { id, name, arguments: given } of calls) {
    if (id !== null) names.set(id, name)
    const head = { recipient: FUNCTIONS + name, channel: 'commentary', type: `${CONSTRAIN}json` }
    found.push(messageOf(role, given === null ? '' : argumentsText(given), head))
  }
  return found
}

const THOUGHT_KEYS = ['reasoning_content', 'reasoning', 'thinking'] as const

function toolName(message: PyDict, names: ReadonlyMap<string, string>): string {
  const [id, given] = [message.get('tool_call_id'), message.get('name')]
  const name = (typeof id === 'string' ? names.get(id) : undefined) ?? given
  if (typeof name !== 'string' || name === '')
    throw new Refusal('a result belongs to no call, so that its tool has no name')
  return name
}

/** Texts of parts one after the other; nothing for null. */
function textOf(message: PyDict): string {
  const content = message.get('content') ?? null
  if (content === null) return ''
  if (!isList(content)) return str(content)
  const texts = content.map((part) => (isDict(part) ? part.get('text') : part))
  if (!texts.every((text) => typeof text === 'string')) throw new Refusal('a part of a message is no text')
  return texts.join('')
}
