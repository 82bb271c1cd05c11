import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { MARKS } from './markers.ts'
import { argumentsOf, behindThought, hasCalls, said, systemText } from './said.ts'

/** The prompt as the template of V3.1 writes it. It knows no tools: the caller has to show them. */
export function promptV31({ messages, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const isThinking = truthy(options.get('thinking'))
    writer.add(MARKS.begin, systemText(messages))
    let last = ''
    for (const message of messages) {
      const role = roleOf(message)
      if (role === 'user') writer.add(MARKS.user, said(message))
      else if (role === 'tool') writer.add(MARKS.result[0], said(message), MARKS.result[1])
      else if (role === 'assistant') writeAnswer(writer, message, { last, isThinking })
      else continue
      last = role
    }
    // Behind a result the model goes on in the turn that is open.
    if (last === 'user' && truthy(options.get('add_generation_prompt')))
      writer.add(MARKS.assistant, '', MARKS.thought[isThinking ? 0 : 1])
    return writer.parts()
  })
}

interface Place {
  /** Who spoke last. */
  readonly last: string
  readonly isThinking: boolean
}

function writeAnswer(writer: PartWriter, message: PyDict, { last, isThinking }: Place): void {
  const isPrefix = !hasCalls(message) && isThinking && truthy(message.get('prefix'))
  // The maker's copy leaves two blanks behind the thought that an unfinished answer opens.
  if (last === 'user' && isPrefix) writer.add(MARKS.assistant, '', MARKS.thought[0], '  ')
  else if (last === 'user') writer.add(MARKS.assistant, '', MARKS.thought[1])
  if (hasCalls(message)) return writeCalls(writer, message)
  const text = said(message)
  writer.text(last === 'tool' ? text : behindThought(text, 'first'))
  writer.add(MARKS.end)
}

function writeCalls(writer: PartWriter, message: PyDict): void {
  const text = (message.get('content') ?? null) === null ? '' : said(message)
  for (const [index, call] of messageCalls(message).entries()) {
    if (index === 0) writer.text(text)
    if (index === 0) writer.add(MARKS.calls[0])
    writer.add(MARKS.call[0], call.name, MARKS.separator, argumentsOf(call), MARKS.call[1])
  }
  writer.add(MARKS.calls[1], '', MARKS.end)
}
