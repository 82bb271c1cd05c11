import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { asksForReply, roleOf, textMember } from '../../conversation/message-view.ts'
import { dayOf, monthName, twoDigits } from '../../conversation/today.ts'
import { dumps, isList, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** The prompt of Granite 3.3. Calls of the history are not shown: the template has no place for them. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    if (truthy(options.get('documents'))) throw new Refusal('documents are not covered by this prompt')
    const writer = partWriter()
    const [first] = messages
    if (first === undefined) throw new Refusal('there are no messages')
    const hasTools = isList(tools) && tools.length > 0
    const isGiven = roleOf(first) === 'system'
    writeTurn(writer, 'system', () => {
      if (isGiven) writer.text(textMember(first, 'content'))
      else writeSystem(writer, { hasTools, options })
    })
    if (hasTools) writeTurn(writer, 'available_tools', () => writer.text(dumps(tools, { indent: 4 })))
    const rest = isGiven ? messages.slice(1) : messages
    for (const message of rest) writeTurn(writer, roleOf(message), () => writer.text(textMember(message, 'content')))
    // The template begins the reply behind its last message only: behind a lone system message it does not.
    if (rest.length > 0 && asksForReply(options)) writer.add('<|start_of_role|>', 'assistant', '<|end_of_role|>')
    return writer.parts()
  })
}

function writeTurn(writer: PartWriter, role: string, body: () => void): void {
  writer.add('<|start_of_role|>', role, '<|end_of_role|>')
  body()
  writer.add('<|end_of_text|>', '\n')
}

interface Asked {
  readonly hasTools: boolean
  readonly options: PyDict
}

function writeSystem(writer: PartWriter, { hasTools, options }: Asked): void {
  const today = dayOf(options)
  if (today === null) throw new Refusal('the prompt names the day: give the option "date", such as "2026-01-02"')
  const { year, month, day } = today
  writer.text('Knowledge Cutoff Date: April 2024.\n')
  writer.text(`Today's Date: ${monthName(month)} ${twoDigits(day)}, ${year}.\n`)
  writer.text('You are Granite, developed by IBM.')
  if (hasTools) {
    writer.text(TOOLS_BEFORE)
    writer.add('<|tool_call|>', TOOLS_BEHIND)
  } else writer.text(truthy(options.get('thinking')) ? HELPFUL + THINKING : HELPFUL)
}

const HELPFUL = ' You are a helpful AI assistant.'
const TOOLS_BEFORE =
  " You are a helpful assistant with access to the following tools. When a tool is required to answer the user's query, respond only with "
const TOOLS_BEHIND =
  ' followed by a JSON list of tools used. If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request.'
const THINKING = `
Respond to every user query in a comprehensive and detailed way. You can write down your thoughts and reasoning process before responding. In the thought process, engage in a comprehensive cycle of analysis, summarization, exploration, reassessment, reflection, backtracing, and iteration to develop well-considered thinking process. In the response section, based on various attempts, explorations, and reflections from the thoughts section, systematically present the final solution that you deem correct. The response should summarize the thought process. Write your thoughts between <think></think> and write your response between <response></response> for each user query.`
