import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { str, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { mergeResults } from './merge-results.ts'
import type { V4Turn } from './merge-results.ts'
import { addCalls, addSections, contentOr, messagesWithTools } from './shared.ts'
import { END, THOUGHT, TURNS, V4 } from './tags.ts'
import { V4_EFFORT_MAX, V4_TOOLS } from './templates.ts'

/** The prompt as the maker's encoder of V4 writes it. */
export function promptV4(conversation: Conversation): PromptOutcome {
  return prompting(() => {
    const { options } = conversation
    const messages = messagesWithTools(conversation)
    const isThinking = truthy(options.get('thinking'))
    // With any tools thoughts stay.
    const drops = options.get('drop_thinking') !== false && !messages.some((message) => truthy(message.get('tools')))
    const all = mergeResults(messages)
    const lastOfAll = lastQuestion(all)
    const turns = all.filter(({ role }, index) => !isThinking || !drops || role !== 'developer' || index >= lastOfAll)
    const writer = partWriter()
    writer.add(TURNS.begin)
    if (isThinking && options.get('reasoning_effort') === 'max') writer.text(V4_EFFORT_MAX)
    const isShown = (index: number): boolean => isThinking && (!drops || index >= lastQuestion(turns))
    for (const [index, turn] of turns.entries()) {
      writeTurn(writer, turn, isShown(index))
      if (goesOn(turn, turns[index + 1])) writer.add(TURNS.assistant, '', THOUGHT[isShown(index) ? 0 : 1])
    }
    return writer.parts()
  })
}

function lastQuestion(turns: readonly V4Turn[]): number {
  return turns.findLastIndex(({ role }) => role === 'user' || role === 'developer')
}

/** Behind a question the model speaks, or nobody yet. */
function goesOn({ role }: V4Turn, next: V4Turn | undefined): boolean {
  const isQuestion = role === 'user' || role === 'developer'
  return isQuestion && (next === undefined || next.role === 'assistant' || next.role === 'latest_reminder')
}

function writeTurn(writer: PartWriter, turn: V4Turn, isThoughtShown: boolean): void {
  if ('blocks' in turn) return writer.add(TURNS.user, turn.blocks.map(({ text }) => text).join('\n\n'))
  const { role, message } = turn
  switch (role) {
    case 'system':
      writer.text(contentOr(message))
      return addSections(writer, message, V4_TOOLS)
    case 'developer':
      if (contentOr(message) === '') throw new Refusal('a message of developer says nothing')
      writer.add(TURNS.user, contentOr(message))
      return addSections(writer, message, V4_TOOLS)
    case 'latest_reminder':
      return writer.add(TURNS.reminder, str(message.get('content') ?? null))
    case 'assistant':
      return writeAnswer(writer, message, isThoughtShown)
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

function writeAnswer(writer: PartWriter, message: PyDict, isThoughtShown: boolean): void {
  const thought = message.get('reasoning_content') ?? null
  if (isThoughtShown) {
    writer.text(truthy(thought) ? str(thought) : '')
    writer.add(THOUGHT[1])
  }
  writer.text(contentOr(message))
  addCalls(writer, message, V4)
  writer.add(END)
}
