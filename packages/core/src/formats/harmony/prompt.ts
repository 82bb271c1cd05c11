import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { fromChat } from './from-chat.ts'
import { definesFunctions, developerText, systemText, textIn } from './sections.ts'
import { CALL, CHANNEL, CONSTRAIN, END, MESSAGE, RETURN, START } from './tokens.ts'

/**
 * The prompt of messages in the OpenAI shape, or of the format's own under the option `conversation`. Nothing stands between
 * messages. Under the mode `completion` the next one is begun, and of a training text the last answer ends with `<|return|>`.
 */
export function prompt(given: Conversation): PromptOutcome {
  return prompting(() => {
    const { options } = given
    const own = options.get('conversation')
    const isAsked = truthy(options.get('add_generation_prompt') ?? true)
    const mode = isList(own) ? (options.get('mode') ?? 'completion') : isAsked ? 'completion' : 'conversation'
    if (typeof mode !== 'string' || !MODES.has(mode))
      throw new Refusal('the mode is none of completion, conversation and training')
    const messages = isList(own) ? own : fromChat(given)
    const hasFunctions = messages.some((message) => isDict(message) && partsOf(message).some(definesFunctions))
    const read = messages.map((message) => readMessage(message, hasFunctions))
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

function readMessage(message: PyValue, hasFunctions: boolean): HarmonyMessage {
  if (!isDict(message)) throw new Refusal('a message of the conversation is no object')
  const role = roleOf(message)
  if (!ROLES.has(role)) throw new Refusal(`there is no role "${role}"`)
  const name = textIn(message, 'name')
  if (role === 'tool' && name === null) throw new Refusal('a message of a tool has no name')
  const texts = partsOf(message).map((part) => partText(part, { role, hasFunctions }))
  return {
    ...(role === 'tool' ? { role: name ?? '', name: null } : { role, name }),
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
