import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, textMember } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { budgetText, DEFAULT_SYSTEM, INSTRUCTION, JSON_HEAD, NO_BUDGET, NO_BUDGET_THOUGHT } from './templates.ts'
import { toolText } from './tools.ts'
import { callText } from './write.ts'

/** The prompt as the template of Seed-OSS writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    if (messages.length === 0) throw new Refusal('there is no message')
    const writer = partWriter()
    const first = roleOf(messages[0]) === 'system' ? messages[0] : undefined
    // As in the template: a system message without the member content counts as no system message.
    writeSystem(writer, first?.has('content') === true ? first : undefined, { tools: tools ?? [], options })
    const budget = writeBudget(writer, options)
    for (const message of first === undefined ? messages : messages.slice(1)) {
      if (roleOf(message) === 'assistant') writeAnswer(writer, message)
      else writeTurn(writer, roleOf(message), textMember(message, 'content'))
    }
    if (!truthy(options.get('add_generation_prompt'))) return writer.parts()
    writer.add('<seed:bos>', 'assistant\n')
    if (budget === 0) {
      const [open, close] = ['<seed:cot_budget_reflect>', '</seed:cot_budget_reflect>']
      writer.add('<seed:think>', '\n', open, NO_BUDGET_THOUGHT, close, '\n', '</seed:think>')
    }
    return writer.parts()
  })
}

function writeSystem(
  writer: PartWriter,
  message: PyDict | undefined,
  { tools, options }: { readonly tools: readonly PyValue[]; readonly options: PyDict },
): void {
  // The template lists no tools as `[]`, without a turn where nothing else asks for one.
  const isJson = truthy(options.get('use_json_tooldef'))
  const list = isJson ? JSON_HEAD + dumps(tools) : tools.map(toolText).join('')
  if (tools.length === 0 && message === undefined) {
    writer.text(list)
    return
  }
  const text = message === undefined ? DEFAULT_SYSTEM : textMember(message, 'content')
  writeTurn(writer, 'system', text + list + (tools.length === 0 ? '' : INSTRUCTION))
}

function writeTurn(writer: PartWriter, role: string, text: string): void {
  writer.add('<seed:bos>', `${role}\n${text}`, '<seed:eos>')
}

/** @returns the budget; null for none */
function writeBudget(writer: PartWriter, options: PyDict): number | null {
  const given = options.get('thinking_budget')
  if (given === undefined) return null
  if (typeof given !== 'bigint' && typeof given !== 'number') throw new Refusal('thinking_budget is no number')
  const budget = Number(given)
  if (budget === 0) writeTurn(writer, 'system', NO_BUDGET)
  else if (budget !== -1) {
    const interval = INTERVALS.find(([most]) => budget <= most)?.[1] ?? LONGEST_INTERVAL
    writeTurn(writer, 'system', budgetText(str(given), interval))
  }
  return budget
}

/** Up to which budget the model looks back after how many tokens. */
const INTERVALS: readonly (readonly [most: number, interval: number])[] = [
  [0, 0],
  [512, 128],
  [1024, 256],
  [2048, 512],
  [4096, 512],
  [8192, 1024],
  [16384, 1024],
]
const LONGEST_INTERVAL = 1024

/** As in the template: without content and calls the turn stays open. */
function writeAnswer(writer: PartWriter, message: PyDict): void {
  const thought = strippedText(message.get('reasoning_content'))
  const said = strippedText(message.get('content'))
  const calls = messageCalls(message)
  writer.add('<seed:bos>', 'assistant')
  if (thought !== '') writer.add('', '\n', '<seed:think>', thought, '</seed:think>')
  if (said !== '') writer.text(`\n${said}${calls.length > 0 ? '\n' : ''}`)
  for (const call of calls) {
    writer.text('\n')
    writer.add('<seed:tool_call>', callText(call.name, mapArguments(call)), '</seed:tool_call>')
  }
  if (said !== '' || calls.length > 0) writer.add('<seed:eos>')
}

function strippedText(value: PyValue | undefined): string {
  return typeof value === 'string' ? strip(value) : ''
}
