import { functionTags, thoughtStates } from '../shared-states.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import type { Format, WriteCall } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { str, dumps, strip, truthy, isDict, isList } from '@callspec/python'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { prompting, Refusal } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, textMember } from '../../conversation/message-view.ts'
import type { PartWriter } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/conversation.ts'
import { SEED_OSS_SPECIALS } from '../special-tokens.ts'

/** How replies are read: tags of its own around calls and thoughts, inside of calls those of qwen3-coder. */
const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<seed:eos>'],
  states: {
    ...thoughtStates({ open: '<seed:think>', close: '</seed:think>', calls: { '<seed:tool_call>': 'call' } }),
    // The value begins on the line of its tag.
    ...functionTags({ close: '</seed:tool_call>', after: 'text', nextKey: /^<parameter=([^>\n]{1,200})>/gm }),
  },
  // Nothing of a value belongs to the format; history prints values that are not texts as Python does.
  typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: true, pythonLiterals: true }),
}

/** A call between the tags of `<seed:tool_call>`: a text as it is, everything else as Python's `str` prints it. */
function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(([key, value]) => `<parameter=${key}>${str(value)}</parameter>\n`)
  return `\n<function=${name}>\n${parameters.join('')}</function>\n`
}

const writeCall: WriteCall = ({ name }, given) => `<seed:tool_call>${callText(name, given)}</seed:tool_call>`

/** Functions and parameters in tags, values as Python prints them. Its README describes it with examples. */
export const seedOss: Format = grammarFormat({
  id: 'seed-oss',
  specialTokens: SEED_OSS_SPECIALS,
  servedAs: { vllm: ['seed_oss'] },
  unread: { opens: /<seed:tool_call>/, body: { closes: '</function>' } },
  about: {
    models: 'Seed-OSS-36B',
    source: 'chat template of Seed-OSS, sha256 3f9e0dc4…30d3',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: { open: '\n<seed:think>', close: '</seed:think>\n' },
    beforeCalls: '\n\n',
    betweenCalls: '\n',
    call: writeCall,
  },
  prompt,
})

/** The prompt as the template of Seed-OSS writes it. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
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

/**
 * A tool as the head of a Python function with a docstring.
 *
 * @returns nothing for a tool that is not of type `function`, as in the template
 */
function toolText(tool: PyValue): string {
  if (!isDict(tool) || tool.get('type') !== 'function') return ''
  const inner = tool.get('function')
  const parameters = isDict(inner) ? inner.get('parameters') : null
  const properties = isDict(parameters) ? parameters.get('properties') : null
  if (!isDict(inner) || !isDict(parameters) || !isDict(properties))
    throw new Refusal('a tool has no schema with properties')
  const required = parameters.get('required') ?? null
  const needed = (key: string): string => (isList(required) && required.includes(key) ? ' [必填]' : ' [选填]')
  const head = [...properties].map(([key, schema]) => `${key}: ${schemaTypeName(schema)}`).join(',')
  const sections = [propertySection('Args', properties, needed), propertySection('Returns', returned(inner), () => '')]
  const description = strip(inner.has('description') ? str(inner.get('description') ?? null) : '')
  const name = str(inner.get('name') ?? '')
  return `\n\nFunction:\ndef ${name}(${head}):\n    """\n    ${description}\n\n${sections.join('\n')}\n    """`
}

function returned(inner: PyDict): PyDict {
  const returns = inner.get('returns')
  const properties = isDict(returns) ? returns.get('properties') : null
  return isDict(properties) ? properties : new Map()
}

function propertySection(title: string, properties: PyDict, needed: (key: string) => string): string {
  if (properties.size === 0) return ''
  const lines = [...properties].map(
    ([key, schema]) => `\n    - ${key} (${schemaTypeName(schema)})${needed(key)}: ${descriptionOf(schema)}`,
  )
  return `    ${title}:${lines.join('')}`
}

function descriptionOf(schema: PyValue): string {
  const text = isDict(schema) ? schema.get('description') : null
  return truthy(text) ? str(text ?? null) : ''
}

/** Python's name of a type; `int` stands for every number. */
function schemaTypeName(schema: PyValue): string {
  const type = isDict(schema) ? schema.get('type') : null
  return (typeof type === 'string' ? TYPE_NAMES.get(type) : null) ?? 'Any'
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'str'],
  ['number', 'int'],
  ['integer', 'int'],
  ['boolean', 'bool'],
  ['array', 'list'],
])

/** The texts of the prompt, from the chat template of Seed-OSS (Apache-2.0; sha256 3f9e0dc4…30d3). */

/** What the system turn says where there are tools and no system message. */
const DEFAULT_SYSTEM =
  'You are Doubao, a helpful AI assistant. You may call one or more functions to assist with the user query.'

/** Before the tools as JSON. */
const JSON_HEAD = `
Tool List:
You are authorized to use the following tools (described in JSON Schema format). Before performing any task, you must decide how to call them based on the descriptions and parameters of these tools.
`

/** After the tools. */
const INSTRUCTION = `
工具调用请遵循如下格式:
<seed:tool_call>
<function=example_function_name>
<parameter=example_parameter_1>value_1</parameter>
<parameter=example_parameter_2>This is the value for the second parameter
that can span
multiple lines</parameter>
</function>
</seed:tool_call>
`

/** The system turn that forbids thinking. */
const NO_BUDGET = `You are an intelligent assistant that can answer questions in one step without the need for reasoning and thinking, that is, your thinking budget is 0. Next, please skip the thinking process and directly start answering the user's questions.
`

/** What the finished thought of a reply without a budget says. */
const NO_BUDGET_THOUGHT = 'The current thinking budget is 0, so I will directly start answering the question.'

/** The system turn that names the budget, and how often the model is to look at what is left of it. */
function budgetText(budget: string, interval: number): string {
  return `You are an intelligent assistant with reflective ability. In the process of thinking and reasoning, you need to strictly follow the thinking budget, which is ${budget}. That is, you need to complete your thinking within ${budget} tokens and start answering the user's questions. You will reflect on your thinking process every ${interval} tokens, stating how many tokens have been used and how many are left.
`
}
