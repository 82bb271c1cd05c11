import { dumps, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { functionOfCall, printedMember, roleOf, textMember } from '../../conversation/message-view.ts'
import { dayOf, twoDigits } from '../../conversation/today.ts'
import { toolTypes } from './tool-types.ts'

export const CALLS = { open: '<|tools_prefix|>', close: '<|tools_suffix|>' } as const
export const THOUGHT = { open: '<|inner_prefix|>', close: '<|inner_suffix|>' } as const

/** The prompt as the template of Apertus writes it: results are a list in the turn of the model, which only a user ends. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add('<s>')
    const [first] = messages
    const isGiven = first !== undefined && roleOf(first) === 'system'
    writeTurn(writer, 'system', isGiven ? textMember(first, 'content') : defaultSystem(options))
    const deliberation = truthy(options.get('enable_thinking')) ? 'enabled' : 'disabled'
    const capabilities = truthy(tools) ? `\n${toolTypes(tools ?? [])}` : ' disabled'
    writeTurn(writer, 'developer', `Deliberation: ${deliberation}\nTool Capabilities:${capabilities}`)
    const place: Place = { writer, isInAnswer: false, isInResults: false }
    for (const message of isGiven ? messages.slice(1) : messages) writeMessage(place, message)
    endResults(place)
    if (truthy(options.get('add_generation_prompt'))) writer.add('<|assistant_start|>')
    return writer.parts()
  })
}

function writeTurn(writer: PartWriter, role: string, text: string): void {
  writer.add(`<|${role}_start|>`, text, `<|${role}_end|>`)
}

function defaultSystem(options: PyDict): string {
  const today = dayOf(options)
  if (today === null) throw new Refusal('the prompt names the day: give the option "date", such as "2026-01-02"')
  const { year, month, day } = today
  return `${DEFAULT_SYSTEM}${year}-${twoDigits(month)}-${twoDigits(day)}`
}

/** Where the next message begins. */
interface Place {
  readonly writer: PartWriter
  /** Whether the turn of the model is open. */
  isInAnswer: boolean
  /** Whether the list of results is open. */
  isInResults: boolean
}

function endResults(place: Place): void {
  if (place.isInResults) place.writer.text(']')
  place.isInResults = false
}

function writeMessage(place: Place, message: PyDict): void {
  const { writer } = place
  switch (roleOf(message)) {
    case 'user':
      endResults(place)
      if (place.isInAnswer) writer.add('<|assistant_end|>')
      place.isInAnswer = false
      if (message.has('content')) writeTurn(writer, 'user', textMember(message, 'content'))
      return
    case 'assistant':
      if (!place.isInAnswer) writer.add('<|assistant_start|>')
      place.isInAnswer = true
      return writeAnswer(place, message)
    case 'tool':
      if (!place.isInAnswer) throw new Refusal('a result follows no turn of the model')
      writer.text(place.isInResults ? ', ' : '[')
      place.isInResults = true
      return writer.text(printedMember(message, 'content'))
    default:
      throw new Refusal(`there is no role "${roleOf(message)}"`)
  }
}

function writeAnswer(place: Place, message: PyDict): void {
  const calls = message.get('tool_calls') ?? null
  if ((message.get('content') ?? null) !== null) {
    const text = textMember(message, 'content')
    endResults(place)
    place.writer.text(text)
  } else if (!message.has('tool_calls')) throw new Refusal('a message of the model has neither a text nor calls')
  if (truthy(calls)) place.writer.add(CALLS.open, `[${callTexts(calls)}]`, CALLS.close)
}

/** As in the template: a name is not escaped, and arguments that are a text become a JSON string. */
function callTexts(calls: PyValue): string {
  if (!isList(calls)) throw new Refusal('tool_calls is not a list')
  return calls
    .map((call) => {
      if (!isDict(call) || call.get('type') !== 'function')
        throw new Refusal('a call in tool_calls is not of type "function"')
      const { name, given } = functionOfCall(call)
      return `{"${name}": ${dumps(given)}}`
    })
    .join(', ')
}

/** The text of the system message that the template has, without the day (Apache-2.0). */
const DEFAULT_SYSTEM =
  'You are Apertus, a helpful assistant created by the SwissAI initiative.\nKnowledge cutoff: 2024-04\nCurrent date: '
