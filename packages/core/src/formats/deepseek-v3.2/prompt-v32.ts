import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { str, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { addCalls, addSections, contentOr, lastQuestion, messagesWithTools, refuseEarlyDevelopers } from './shared.ts'
import { END, THOUGHT, TURNS, V32 } from './tags.ts'
import { V32_TOOLS } from './templates.ts'

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
  /** Where the last question stands. */
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
      return writeAnswer(writer, place)
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
  if (calls < order) throw new Refusal('a result stands where no call is open')
  const content = str(messages[index]?.get('content') ?? null)
  writer.text(`${order === 1 ? '\n\n<function_results>' : ''}\n<result>${content}</result>`)
  if (order < calls) return
  writer.text('\n</function_results>\n\n')
  writer.add(THOUGHT[isThinking && index >= last ? 0 : 1])
}

function writeAnswer(writer: PartWriter, { messages, index, last, isThinking }: Place): void {
  const message = messages[index] ?? NOBODY
  if (isThinking && index > last) {
    const thought = message.get('reasoning_content') ?? null
    if (!truthy(thought) && messageCalls(message).length === 0)
      throw new Refusal('an answer behind the last question has neither a thought nor calls')
    writer.text(truthy(thought) ? str(thought) : '')
    writer.add(THOUGHT[1])
  }
  writer.text(contentOr(message))
  addCalls(writer, message, V32)
  writer.add(END)
}
