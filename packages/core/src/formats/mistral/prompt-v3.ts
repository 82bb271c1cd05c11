import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import { dumps } from '@callspec/python'
import { isContinued, turnsOf } from './conversation.ts'
import type { Turn } from './conversation.ts'
import { respelled, withoutTrailingBlanks, writeTools } from './prompt.ts'

/** The prompt of tokenizers of version 3 with a Tekken vocabulary: calls and results are JSON, no text has blanks before it. */
export function promptV3({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const given = turnsOf(messages, { isContinued: isContinued(options), isSorted: false })
    const system = given.filter(({ role }) => role === 'system').map(textOf)
    const turns = fromUser(given.filter(({ role }) => role !== 'system'))
    const last = turns.findLastIndex(({ role }) => role === 'user')
    const writer = partWriter()
    writer.add('<s>')
    for (const [index, turn] of turns.entries()) {
      if (index === last) writeTools(writer, tools ?? [])
      if (turn.role === 'user')
        writer.add('[INST]', [...(index === last ? system : []), textOf(turn)].join('\n\n'), '[/INST]')
      else if (turn.role === 'tool') writer.add('[TOOL_RESULTS]', resultOf(turn), '[/TOOL_RESULTS]')
      else writeAnswer(writer, turn)
      const isOpen = index === turns.length - 1 && isContinued(options)
      if (turn.role === 'assistant' && !isOpen) writer.add('</s>')
    }
    return writer.parts()
  })
}

/** A conversation begins with a user: where it does not, that user says nothing. */
function fromUser(turns: readonly Turn[]): readonly Turn[] {
  return turns[0]?.role === 'user' ? turns : [{ role: 'user', pieces: [], calls: [], callId: '' }, ...turns]
}

/** The texts of a turn; this version knows no thoughts. */
function textOf({ pieces }: Pick<Turn, 'pieces'>): string {
  return pieces
    .filter(({ kind }) => kind === 'text')
    .map(({ text }) => text)
    .join('\n\n')
}

/** A result that is JSON is read and written again. */
function resultOf(turn: Turn): string {
  return `{"content": ${respelled(textOf(turn))}, "call_id": ${dumps(turn.callId)}}`
}

function writeAnswer(writer: PartWriter, { pieces, calls }: Turn): void {
  const text = textOf({ pieces: withoutTrailingBlanks(pieces) })
  if (calls.length === 0) return writer.text(text)
  if (pieces.some(({ kind }) => kind === 'text')) throw new Refusal('an assistant message has both content and calls')
  const list = calls.map(({ id, name, arguments: given }) => {
    const end = id === null ? '' : `, "id": ${dumps(id)}`
    return `{"name": ${dumps(name)}, "arguments": ${respelled(given)}${end}}`
  })
  writer.add('[TOOL_CALLS]', `[${list.join(', ')}]`)
}
