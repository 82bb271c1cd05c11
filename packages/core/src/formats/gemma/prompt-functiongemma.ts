import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, str, isDict, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The prompt as vLLM's template for FunctionGemma writes it: tools are shown behind a system message only. */
export function promptFunctionGemma({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    for (const message of messages) writeMessage(writer, message, tools ?? [])
    if (truthy(options.get('add_generation_prompt'))) writer.add('<start_of_turn>', 'model')
    return writer.parts()
  })
}

function writeMessage(writer: PartWriter, message: PyDict, tools: readonly PyValue[]): void {
  const turn = (text: string): void => writer.add('<start_of_turn>', text, '<end_of_turn>')
  switch (roleOf(message)) {
    case 'system':
    case 'developer':
      return turn(`user\n${printed(message, 'content')}${toolsText(tools)}`)
    case 'user':
      return turn(`user\n${printed(message, 'content')}`)
    case 'tool': {
      const name = message.has('name') ? printed(message, 'name') : 'function'
      return turn(`user\nFunction result for ${name}: ${printed(message, 'content')}`)
    }
    case 'assistant': {
      const calls = messageCalls(message)
      if (calls.length === 0) return turn(`model\n${printed(message, 'content')}`)
      writer.add('<start_of_turn>', 'model')
      for (const call of calls) writeCall(writer, call)
      return writer.add('<end_of_turn>')
    }
    default:
  }
}

/** Every value is printed between the quotes as Python prints it. */
function writeCall(writer: PartWriter, { name, arguments: given }: MessageCall): void {
  if (!isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
  writer.add('<start_function_call>', `call:${name}{`)
  for (const [index, [key, value]] of [...given].entries()) {
    writer.text(`${index === 0 ? '' : ','}${key}:`)
    writer.add('<escape>', str(value), '<escape>')
  }
  writer.text('}')
  writer.add('<end_function_call>')
}

/** A tool that is not of type `function`, such as a bare one, is left out. */
function toolsText(tools: readonly PyValue[]): string {
  if (tools.length === 0) return ''
  const shown = tools.map((tool) => {
    const inner = isDict(tool) && tool.get('type') === 'function' ? tool.get('function') : null
    if (!isDict(inner)) return ''
    const parameters = inner.get('parameters')
    if (parameters === undefined) throw new Refusal(`the tool ${printed(inner, 'name')} has no parameters`)
    const about = inner.has('description') ? printed(inner, 'description') : 'No description provided'
    return `\nFunction: ${printed(inner, 'name')}\nDescription: ${about}\nParameters: ${dumps(parameters)}`
  })
  return `\nAvailable functions:${shown.join('')}`
}

/** As Jinja prints a member: nothing where it is missing, `None` for null. */
function printed(dict: PyDict, key: string): string {
  const value = dict.get(key)
  return value === undefined ? '' : str(value)
}
