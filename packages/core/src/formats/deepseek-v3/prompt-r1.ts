import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { MARKS } from './markers.ts'
import { addCall } from './prompt-v3.ts'
import { behindThought, hasCalls, said, systemText, typeOfCall } from './said.ts'
import { R1_TOOLS } from './templates.ts'

/** The prompt of R1 as vLLM's template writes it: the maker's knows no tools. */
export function promptR1({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add(MARKS.begin, systemText(messages))
    if ((tools ?? null) !== null) writer.text(toolsText(tools ?? []))
    const state: PromptState = { hasResult: false, last: '' }
    for (const message of messages) writeMessage(writer, message, state)
    if (state.last === 'tool') writer.add(MARKS.results[1])
    else if (state.last !== 'user' && truthy(options.get('add_generation_prompt'))) writer.add(MARKS.assistant)
    return writer.parts()
  })
}

interface PromptState {
  /** Whether a result was written since the last calls. */
  hasResult: boolean
  /** Who spoke last: user, assistant or tool; empty for nobody. */
  last: string
}

function toolsText(tools: readonly PyValue[]): string {
  return `\n\n${R1_TOOLS}${tools.map((tool) => `\n\`\`\`json\n${dumps(tool)}\n\`\`\`\n`).join('')}`
}

function writeMessage(writer: PartWriter, message: PyDict, state: PromptState): void {
  const role = roleOf(message)
  if (role === 'user') writer.add(MARKS.user, said(message), MARKS.assistant)
  else if (role === 'assistant') writeAnswer(writer, message, state)
  else if (role === 'tool') {
    if (state.hasResult) writer.text('\n')
    else writer.add(MARKS.results[0])
    writer.add(MARKS.result[0], said(message), MARKS.result[1])
    state.hasResult = true
  } else return
  state.last = role
}

/** Arguments are written as JSON whatever they are: a JSON text is encoded twice, as in the template. */
function writeAnswer(writer: PartWriter, message: PyDict, state: PromptState): void {
  if (state.last === 'tool') writer.add(MARKS.results[1])
  const text = behindThought(said(message), 'last')
  if (!hasCalls(message)) {
    writer.text(text)
    writer.add(MARKS.end)
    return
  }
  state.hasResult = false
  for (const [index, { name, arguments: given }] of messageCalls(message).entries()) {
    writer.text(index === 0 ? text : '\n')
    if (index === 0) writer.add(MARKS.calls[0])
    addCall(writer, { type: typeOfCall(message, index), name, text: dumps(given) })
  }
  writer.add(MARKS.calls[1], '', MARKS.end)
}
