import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter, Shown } from '../../conversation/part-writer.ts'
import { listed } from '../../conversation/shown-value.ts'
import { printedMember } from '../../conversation/template-text.ts'
import { dumps, str, isDict, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { FUNCTION_GEMMA } from './marks.ts'

/** The prompt as vLLM's template for FunctionGemma writes it: tools are shown behind a system message only. */
export function promptFunctionGemma({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    // As in the template: it asks for the length of the tools, also where no message shows them.
    if (tools === undefined || tools === null) throw new Refusal('there are no tools; an empty list is accepted')
    const writer = partWriter()
    for (const message of messages) {
      const shown = turnText(message, tools)
      if (shown === null) continue
      writer.add('<start_of_turn>', shown)
      if (shown === 'model') for (const call of messageCalls(message)) writeCall(writer, call)
      writer.add('<end_of_turn>')
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<start_of_turn>', 'model')
    return writer.parts()
  })
}

/** Null for a message of a role that the template does not know: it is not shown. `model` alone stands before calls. */
function turnText(message: PyDict, tools: readonly PyValue[]): string | null {
  const said = printedMember(message, 'content')
  switch (roleOf(message)) {
    case 'system':
    case 'developer':
      return `user\n${said}${toolsText(tools)}`
    case 'user':
      return `user\n${said}`
    case 'tool':
      return `user\nFunction result for ${message.has('name') ? printedMember(message, 'name') : 'function'}: ${said}`
    case 'assistant':
      if (message.get('tool_calls') === null) throw new Refusal('tool_calls is null: leave it out')
      return messageCalls(message).length === 0 ? `model\n${said}` : 'model'
    default:
      return null
  }
}

/** Every value is printed between the quotes as Python prints it. */
function writeCall(writer: PartWriter, { name, arguments: given, isBare }: MessageCall): void {
  if (isBare || !isDict(given)) throw new Refusal(`${name}: no member "function", or arguments that are not an object`)
  const quote: Shown = { kind: 'token', text: FUNCTION_GEMMA.quote }
  const members = [...given].map(([key, value]) => [key, ':', quote, str(value), quote])
  writer.add(FUNCTION_GEMMA.open)
  writer.show([`call:${name}{`, listed(members, ','), '}'])
  writer.add(FUNCTION_GEMMA.close)
}

/** A tool that is not of type `function`, such as a bare one, is left out. */
function toolsText(tools: readonly PyValue[]): string {
  const shown = tools.map((tool) => {
    const inner = isDict(tool) && tool.get('type') === 'function' ? tool.get('function') : null
    if (!isDict(inner)) return ''
    const parameters = inner.get('parameters')
    if (parameters === undefined) throw new Refusal(`the tool ${printedMember(inner, 'name')} has no parameters`)
    const about = inner.has('description') ? printedMember(inner, 'description') : 'No description provided'
    return `\nFunction: ${printedMember(inner, 'name')}\nDescription: ${about}\nParameters: ${dumps(parameters)}`
  })
  return tools.length === 0 ? '' : `\nAvailable functions:${shown.join('')}`
}
