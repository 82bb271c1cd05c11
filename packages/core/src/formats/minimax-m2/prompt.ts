import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { loopedItems, thoughtAndContent, visibleText } from '../../conversation/template-text.ts'
import { dumps, str, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { DEFAULT_SYSTEM, EXAMPLE, TOOLS_HEAD, TOOLS_TAIL } from './templates.ts'
import { callText, SECTION } from './write.ts'

/** The prompt as the template of MiniMax-M2 writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const system = roleOf(messages[0]) === 'system' ? messages[0] : undefined
    writer.add(']~!b[', '', ']~b]', `system\n${systemText(system, options)}`)
    if (truthy(tools)) writeTools(writer, tools ?? [])
    writer.add('[e~[', '\n')
    const rest = system === undefined ? messages : messages.slice(1)
    const lastUser = rest.findLastIndex((message) => roleOf(message) === 'user')
    let hasCalled = false
    for (const [index, message] of rest.entries()) {
      const place = { message, before: rest[index - 1], after: rest[index + 1] }
      const role = roleOf(message)
      if (role === 'assistant') hasCalled = writeAnswer(writer, message, index > lastUser)
      else if (role === 'tool') {
        if (!hasCalled) throw new Refusal('a result stands where nothing was called')
        writeResult(writer, place)
      } else if (role === 'user') writer.add(']~b]', `user\n${visibleText(message)}`, '[e~[', '\n')
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add(']~b]', 'ai\n', '<think>', '\n')
    return writer.parts()
  })
}

function systemText(message: PyDict | undefined, options: PyDict): string {
  const text =
    message !== undefined && truthy(message.get('content'))
      ? visibleText(message)
      : str(options.get('model_identity') ?? DEFAULT_SYSTEM)
  return text + lineOf('date', message) + lineOf('location', message)
}

/** Date and place are members of the system message. */
function lineOf(what: 'date' | 'location', message: PyDict | undefined): string {
  const value = message?.get(`current_${what}`)
  return truthy(value) ? `\nCurrent ${what}: ${str(value ?? null)}` : ''
}

/** Only the inner map of a tool is shown. */
function writeTools(writer: PartWriter, tools: readonly PyValue[]): void {
  const list = tools.map((tool) => {
    const inner = isDict(tool) ? tool.get('function') : undefined
    if (inner === undefined) throw new Refusal('a tool has no member "function"')
    return `<tool>${dumps(inner)}</tool>\n`
  })
  writer.text(TOOLS_HEAD + list.join('') + TOOLS_TAIL + EXAMPLE)
}

/** @returns whether it calls a tool */
function writeAnswer(writer: PartWriter, message: PyDict, isBehindUser: boolean): boolean {
  const { thought, content } = thoughtAndContent(message, visibleText(message), true)
  writer.add(']~b]', 'ai\n')
  if (isBehindUser && thought !== '') writer.add('<think>', `\n${thought}\n`, '</think>', '\n\n')
  writer.text(content)
  const calls = messageCalls(message)
  if (calls.length > 0) {
    writer.text('\n')
    const texts = calls.map(({ name, arguments: given }) => {
      if (!isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
      return callText(name, given)
    })
    writer.add(SECTION.open, `\n${texts.join('')}`, SECTION.close)
    checkLast(message)
  }
  writer.add('[e~[', '\n')
  return calls.length > 0
}

/** The template looks the last name up inside the wrapper. */
function checkLast(message: PyDict): void {
  const calls = message.get('tool_calls') ?? null
  const last = isList(calls) ? calls.at(-1) : null
  if (!isDict(last) || !last.has('function')) throw new Refusal('a call in tool_calls has no member "function"')
}

interface Place {
  readonly message: PyDict
  readonly before: PyDict | undefined
  readonly after: PyDict | undefined
}

/** Neighbouring results share a turn. An item of a list has a line feed behind it, a text has none. */
function writeResult(writer: PartWriter, { message, before, after }: Place): void {
  const content = message.get('content')
  if (roleOf(before) !== 'tool') writer.add(']~b]', 'tool')
  if (typeof content === 'string') writer.text(`\n<response>${content}</response>`)
  else for (const item of loopedItems(message)) writer.text(`\n<response>${itemText(item)}\n</response>`)
  if (roleOf(after) !== 'tool') writer.add('[e~[', '\n')
}

function itemText(item: PyValue): string {
  if (!isDict(item)) return str(item)
  return str(item.get('output') ?? (item.get('type') === 'text' ? item.get('text') : null) ?? item)
}
