import { dumps, isList, str, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { functionOfCall, roleOf } from '../../conversation/message-view.ts'
import { dayOf, timeOf, twoDigits, weekdayOf } from '../../conversation/today.ts'

/** Precedes what the model says to the user, where tools are offered. */
export const ASSISTANT = '助手：'
export const END = '<|eos|>'

const USER = '用户：'
const BEGIN = '<|startoftext|>'
const SYSTEM_END = '<|extra_4|>'
const TURN_END = '<|extra_0|>'

/** The prompt as the template of Hunyuan-A13B writes it. It has no turn of the model to begin: `add_generation_prompt` changes nothing. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    if (truthy(tools)) {
      const place = { tools: tools ?? [], now: nowText(options) }
      for (const [index, message] of messages.entries()) {
        if (index === 0) writeFirst(writer, message, place)
        else writeTurn(writer, message)
      }
    } else for (const [index, message] of messages.entries()) writePlainTurn(writer, message, index)
    if (options.get('enable_thinking') === false) writer.text('<think>\n\n</think>\n')
    return writer.parts()
  })
}

function nowText(options: PyDict): string {
  const today = dayOf(options)
  if (today === null) throw new Refusal('the prompt names the day: give the option "date", such as "2026-01-02"')
  const { year, month, day } = today
  return `${year}-${twoDigits(month)}-${twoDigits(day)} ${timeOf(options)} 星期${'日一二三四五六'[weekdayOf(today)]}`
}

/** The first message carries the rules, the tools and the time; one of the model or of a tool is shown as it is. */
function writeFirst(
  writer: PartWriter,
  message: PyDict,
  { tools, now }: { readonly tools: readonly PyValue[]; readonly now: string },
): void {
  const rules = `${RULES}\n${dumps(tools)}\n`
  switch (roleOf(message)) {
    case 'system':
      writer.add(
        BEGIN,
        `${rules}\n额外要求：\n${textOf(message)}\n\n${CALLS_ONLY}如果额外要求里有格式要求，请忽略，以此处为准。\n${PROSE}\n\n如果额外要求里有时间信息，就以额外要求里的时间为准，否则，参考当前时间：${now}`,
        SYSTEM_END,
      )
      return
    case 'user':
      writer.add(BEGIN, `${rules}\n${CALLS_ONLY}\n${PROSE}\n\n当前时间：${now}`, SYSTEM_END)
      writer.text(USER + textOf(message))
      writer.add(TURN_END)
      return
    default:
      writer.text(shownContent(message))
  }
}

function writeTurn(writer: PartWriter, message: PyDict): void {
  switch (roleOf(message)) {
    case 'user':
      writer.text(USER + textOf(message))
      writer.add(TURN_END)
      return
    case 'assistant':
      writer.text(message.has('tool_calls') ? textOf(message) + callsText(message) : ASSISTANT + textOf(message))
      writer.add(END)
      return
    case 'tool':
      writer.text(`<tool_response>${textOf(message)}</tool_response>`)
      writer.add(TURN_END)
      return
    default:
      writer.text(shownContent(message))
  }
}

/** Without tools. The template fails for an empty first message; every question but the second message starts the text again. */
function writePlainTurn(writer: PartWriter, message: PyDict, index: number): void {
  if (index === 0 && message.get('content') === '') throw new Refusal('the first message is empty')
  if (index === 0 && !message.has('content')) throw new Refusal('the first message has no content')
  switch (roleOf(message)) {
    case 'system':
      if (index > 0) return writer.text(shownContent(message))
      return writer.add(BEGIN, textOf(message), SYSTEM_END)
    case 'user':
      return writer.add(index === 1 ? '' : BEGIN, textOf(message), TURN_END)
    case 'assistant':
      return writer.add('', textOf(message), END)
    case 'tool':
      return writer.add('', textOf(message), TURN_END)
    default:
      writer.text(shownContent(message))
  }
}

/** The content, which the template joins with texts; empty if it is absent. */
function textOf(message: PyDict): string {
  const content = message.has('content') ? message.get('content') : ''
  if (typeof content === 'string') return content
  throw new Refusal(
    `the content of a message of role ${roleOf(message)} is not a text: this template takes a text only`,
  )
}

/** As Jinja prints it, for roles that the template does not know. */
function shownContent(message: PyDict): string {
  return message.has('content') ? str(message.get('content') ?? null) : ''
}

function callsText(message: PyDict): string {
  const calls = message.get('tool_calls') ?? null
  if (!isList(calls)) throw new Refusal('tool_calls is not a list')
  return `<tool_calls>[${calls.map(callText).join(', ')}]</tool_calls>`
}

/** As in the template: a name is not escaped, and arguments that are a text are printed as they are. */
function callText(call: PyValue): string {
  const { name, given } = functionOfCall(call)
  return `{"name": "${name}", "arguments": ${typeof given === 'string' ? given : dumps(given)}}`
}

/** The texts of the prompt, from the chat template of Hunyuan-A13B as vLLM carries it (Apache-2.0). */

const RULES = `你是一位函数组合专家。你会得到一个问题和一组可能的函数。根据问题，你需要进行一个或多个函数/工具调用以实现目的。
如果没有一个函数可以使用，请直接使用自然语言回复用户，以助手：开头。
如果给定的问题缺少函数所需的参数，请使用自然语言进行提问，向用户询问必要信息，以助手：开头。
如果调用结果已经足够回答用户问题，请对历史结果进行总结，使用自然语言回复用户，以助手：开头。
你应该只在工具调用部分返回函数调用。如果你决定调用任何函数，你必须将其格式化为<tool_calls>[{"name": "func_name1", "arguments": {"argument1": "value1", "argument2": "value2"}},...]</tool_calls>。你不应该在回复中包含任何其他文本。以下是你可以调用的函数列表，格式为JSON。
`

const CALLS_ONLY =
  '如果你决定返回函数调用，请将其格式化为<tool_calls>[{"name": "func_name1", "arguments": {"argument1": "value1", "argument2": "value2"}},...]</tool_calls>，不得包含其他文本。'

const PROSE = '否则，请参考开头说的三种情况，以助手：开头进行回复。'
