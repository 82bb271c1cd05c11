import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls, argumentsInBody } from '../../grammar/json.ts'
import type { Format, ItemSpelling } from '../../format/format.ts'
import { grammarFormat, writeItems } from '../../format/grammar-format.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, InputError, str, strip, isDict, isList, truthy } from '@callspec/python'
import type { Conversation, PromptOutcome, PartWriter } from '../../conversation/conversation.ts'
import { prompting, Refusal, partWriter } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { dayOf, monthName, twoDigits } from '../../conversation/today.ts'
import { writeLlamaTools } from '../llama-tools.ts'
import { LLAMA3_SPECIALS } from '../special-tokens.ts'

/** How replies are read: a call is the whole reply, or all of it after the tag. Everything else is text. */
const grammar: Grammar = {
  // > <|python_tag|>{"name": "f", "parameters": {}}
  //   ^
  start: 'start',
  stops: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  states: {
    start: { kind: 'nothing', transitions: { '<|python_tag|>': { to: 'tagged', opens: true } }, fallback: 'map' },
    // At the beginning the tag is never text: servers strip it.
    // > <|python_tag|>{"name": "f", "parameters": {}}
    //                 ^
    tagged: { kind: 'nothing', transitions: {}, fallback: 'map' },
    // > {"name": "f", "parameters": {}}
    //   ^
    map: { kind: 'calls', bodyStart: '{', mustEndReply: true, next: 'end', fallback: 'text', transitions: {} },
    // > It is noon.
    //   ^
    text: { kind: 'text', transitions: { '<|python_tag|>': { to: 'map', opens: true } } },
    // > {"name": "f", "parameters": {}}
    //                                  ^
    end: { kind: 'nothing', transitions: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['parameters'] }),
}

/** How replies are spelt. */
const spelling: ItemSpelling = {
  // After a text a call needs the tag.
  beforeCalls: '<|python_tag|>',
  call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "parameters": ${argumentsInBody(text)}}`,
}

/** One JSON map is the whole reply; prompts of the 3.2 copy under `llama-3.2`. Its README describes it with examples. */
export const llama3Json: Format = grammarFormat({
  id: 'llama3-json',
  specialTokens: LLAMA3_SPECIALS,
  servedAs: { vllm: ['llama3_json'], sglang: ['llama3'] },
  unread: { opens: /<\|python_tag\|>\s{0,4}\{/, body: 'json' },
  about: {
    models: 'Llama 3.1, 3.2 (text), 3.3',
    source: 'chat template of Llama-3.1-8B-Instruct and llama-models@a9c89c4',
    licence: 'Llama 3.1 community licence (template as carried by llama.cpp: MIT)',
  },
  grammar,
  spelling,
  write: (items) => {
    if (items.filter(({ kind }) => kind === 'call').length > 1)
      throw new InputError('llama3-json', 'a reply holds one call: write each call as a reply of its own')
    return writeItems(spelling, items)
  },
  prompt,
  versions: { 'llama-3.2': prompt32 },
})

/** The prompt of Llama 3.1 and 3.3, which has a date of its own where none is given. */
function prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, { today: () => DATE, hasBuiltIn: true })
}

/** The prompt of Llama 3.2, which takes the day of the option `now` and knows no built-in tools. */
function prompt32(conversation: Conversation): PromptOutcome {
  return write(conversation, { today: shortDate, hasBuiltIn: false })
}

/** The date of the template where it has no clock. */
const DATE = '26 Jul 2024'

/** Where the copies of the template differ. */
interface Copy {
  /** The date where `date_string` gives none. */
  readonly today: (options: PyDict) => string
  readonly hasBuiltIn: boolean
}

function shortDate(options: PyDict): string {
  const today = dayOf(options)
  if (today === null) return DATE
  const { year, month, day } = today
  return `${twoDigits(day)} ${monthName(month).slice(0, 3)} ${year}`
}

/** What is known of a conversation before its messages are written. */
interface Setting {
  /** Null where no tools are given; an empty list is one. */
  readonly tools: readonly PyValue[] | null
  /** Names of tools that the model knows by itself; null where none are given. */
  readonly builtIn: readonly PyValue[] | null
  readonly isInSystem: boolean
}

function write({ messages, tools, options }: Conversation, { today, hasBuiltIn }: Copy): PromptOutcome {
  return prompting(() => {
    const setting = promptSetting(tools, options, { hasBuiltIn })
    const [first] = messages
    if (first === undefined) throw new Refusal('there are no messages')
    const isSystem = roleOf(first) === 'system'
    const writer = partWriter()
    writer.add('<|begin_of_text|>')
    const date = options.has('date_string') ? str(options.get('date_string') ?? null) : today(options)
    writeTurn(writer, 'system', () => {
      writeEnvironment(writer, setting, date)
      if (isSystem) writer.text(contentOf(first))
    })
    let rest = isSystem ? messages.slice(1) : messages
    if (setting.tools !== null && !setting.isInSystem) {
      writeFirst(writer, rest[0], setting.tools)
      rest = rest.slice(1)
    }
    for (const message of rest) writeMessage(writer, message, setting)
    if (truthy(options.get('add_generation_prompt'))) writeHead(writer, 'assistant')
    return writer.parts()
  })
}

function promptSetting(
  tools: Conversation['tools'],
  options: PyDict,
  { hasBuiltIn }: Pick<Copy, 'hasBuiltIn'>,
): Setting {
  const given = options.has('custom_tools') ? (options.get('custom_tools') ?? null) : (tools ?? null)
  const builtIn = hasBuiltIn ? options.get('builtin_tools') : undefined
  if (given !== null && !isList(given)) throw new Refusal('the tools are no list')
  if (builtIn !== undefined && !isList(builtIn)) throw new Refusal('builtin_tools is no list')
  const isInSystem = options.has('tools_in_user_message') && !truthy(options.get('tools_in_user_message'))
  return { tools: given, builtIn: builtIn ?? null, isInSystem }
}

function writeHead(writer: PartWriter, role: string): void {
  writer.add('<|start_header_id|>', role, '<|end_header_id|>', '\n\n')
}

function writeTurn(writer: PartWriter, role: string, body: () => void, end = '<|eot_id|>'): void {
  writeHead(writer, role)
  body()
  writer.add(end)
}

function writeEnvironment(writer: PartWriter, { tools, builtIn, isInSystem }: Setting, date: string): void {
  if (builtIn !== null || tools !== null) writer.text('Environment: ipython\n')
  if (builtIn !== null) {
    const named = builtIn.filter((name) => name !== 'code_interpreter').map((name) => str(name))
    writer.text(`Tools: ${named.join(', ')}\n\n`)
  }
  writer.text(`Cutting Knowledge Date: December 2023\nToday Date: ${date}\n\n`)
  if (tools !== null && isInSystem) writeLlamaTools(writer, 'system', tools)
}

/** The message after the tools is shown as one of the user. */
function writeFirst(writer: PartWriter, message: PyDict | undefined, tools: readonly PyValue[]): void {
  if (message === undefined) throw new Refusal('there is no message to show the tools in')
  writeTurn(writer, 'user', () => {
    writeLlamaTools(writer, 'user', tools)
    writer.text(contentOf(message))
  })
}

/** As Python prints what is no text: a list of parts stays a list. */
function contentOf(message: PyDict): string {
  return message.has('content') ? strip(str(message.get('content') ?? null)) : ''
}

function writeMessage(writer: PartWriter, message: PyDict, setting: Setting): void {
  const role = roleOf(message)
  if (message.has('tool_calls')) {
    const end = setting.builtIn === null ? '<|eot_id|>' : '<|eom_id|>'
    writeTurn(writer, 'assistant', () => writeCall(writer, message, setting), end)
  } else if (role === 'tool' || role === 'ipython') {
    if (!message.has('content')) throw new Refusal('a result has no content')
    const content = message.get('content') ?? null
    // A text is a JSON text: `12:00` has quotes.
    const isJson = typeof content === 'string' || isList(content) || isDict(content)
    writeTurn(writer, 'ipython', () => writer.text(isJson ? dumps(content) : str(content)))
  } else writeTurn(writer, role, () => writer.text(contentOf(message)))
}

function writeCall(writer: PartWriter, message: PyDict, { builtIn }: Setting): void {
  const calls = message.get('tool_calls') ?? null
  const [call] = messageCalls(message)
  if (!isList(calls) || calls.length !== 1 || call === undefined)
    throw new Refusal('a message of this family has exactly one call')
  const [given] = calls
  if (!isDict(given) || !isDict(given.get('function') ?? null)) throw new Refusal('a call has no member "function"')
  const { name, arguments: value, lacksArguments } = call
  if (builtIn?.includes(name) === true) {
    if (!isDict(value)) throw new Refusal(`the arguments of the built-in tool ${name} are no object`)
    writer.add('<|python_tag|>', `${name}.call(${[...value].map(builtInArgument).join(', ')})`)
    return
  }
  if (lacksArguments) throw new Refusal(`the call of ${name} has no member "arguments"`)
  // As in the template: arguments given as a text are written as a JSON string, with quotes and escapes.
  writer.text(`{"name": "${name}", "parameters": ${dumps(value)}}`)
}

function builtInArgument([key, value]: readonly [string, PyValue]): string {
  if (typeof value !== 'string') throw new Refusal(`the argument ${key} of a built-in tool is no text`)
  return `${key}="${value}"`
}
