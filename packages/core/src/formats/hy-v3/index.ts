import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, truthy } from '@callspec/python'
import type { Grammar, Transition } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { MessageCall } from '../../conversation/message-view.ts'
import { messageCalls, roleOf, visibleText } from '../../conversation/message-view.ts'
import { thoughtStates } from '../shared-states.ts'
import { HY_V3_SPECIALS } from '../special-tokens.ts'

/** Part of every tag of the published checkpoint. Its preview has tags without a suffix, which are text here. */
const SUFFIX = ':opensource'

const THINK = { open: `<think${SUFFIX}>`, close: `</think${SUFFIX}>` } as const
const CALLS = { open: `<tool_calls${SUFFIX}>`, close: `</tool_calls${SUFFIX}>` } as const
const CALL = { open: `<tool_call${SUFFIX}>`, separator: `<tool_sep${SUFFIX}>`, close: `</tool_call${SUFFIX}>` } as const
const KEY = { open: `<arg_key${SUFFIX}>`, close: `</arg_key${SUFFIX}>` } as const
const VALUE = { open: `<arg_value${SUFFIX}>`, close: `</arg_value${SUFFIX}>` } as const
const RESULTS = { open: `<tool_responses${SUFFIX}>`, close: `</tool_responses${SUFFIX}>` } as const
const RESULT = { open: `<tool_response${SUFFIX}>`, close: `</tool_response${SUFFIX}>` } as const
const END = `<｜hy_eos${SUFFIX}｜>`
const USER = `<｜hy_User${SUFFIX}｜>`
const ASSISTANT = `<｜hy_Assistant${SUFFIX}｜>`

const OPENS: Transition = { to: 'name', opens: true }
const CLOSES: Transition = { to: 'calls', closes: true }

/** How replies are read: one wrapper holds all calls, and only the suffix tells its tags from text. */
function makeGrammar(): Grammar {
  return {
    start: 'text',
    thought: 'opened',
    stops: [END, USER],
    states: {
      ...thoughtStates({ ...THINK, calls: { [CALLS.open]: 'calls' } }),
      // > <tool_calls:opensource>\n<tool_call:opensource>f<tool_sep:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>
      //                          ^                                                                      ^
      calls: { kind: 'nothing', mayBeTruncated: true, transitions: { [CALL.open]: OPENS, [CALLS.close]: 'text' } },
      // > <tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource>\n</tool_call:opensource>
      //                                                ^
      name: { kind: 'name', transitions: { [CALL.separator]: 'body', [CALL.close]: CLOSES, [CALL.open]: OPENS } },
      // > <tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource>\n</tool_call:opensource>
      //                                                                      ^
      body: {
        kind: 'nothing',
        transitions: {
          [KEY.open]: 'key',
          [CALL.close]: CLOSES,
          [CALLS.close]: { to: 'text', closes: true },
        },
      },
      // > <tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource><arg_key:opensource>k</arg_key:opensource>
      //                                                                                          ^
      key: { kind: 'key', transitions: { [KEY.close]: 'between' } },
      // > <tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource><arg_key:opensource>k</arg_key:opensource>\n<arg_value:opensource>v
      //                                                                                                                ^   a key without a value is lost
      between: { kind: 'nothing', transitions: { [VALUE.open]: 'value', [KEY.open]: 'key', [CALL.close]: CLOSES } },
      // > <tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource><arg_key:opensource>k</arg_key:opensource><arg_value:opensource>v</arg_value:opensource>
      //                                                                                                                                      ^
      value: { kind: 'value', nextKey: NEXT_KEY, transitions: { [VALUE.close]: 'body' } },
    },
    // Nothing of a value belongs to the format; history prints JSON.
    typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: false }),
  }
}

/** All of what precedes a value: one tag alone may be quoted. */
const NEXT_KEY = /<arg_key:opensource>([^<\n]{1,200})<\/arg_key:opensource>\s{0,8}<arg_value:opensource>/g

/** A call between its tags, without them. Nothing is escaped. */
function callText(name: string, given: PyDict): string {
  const values = [...given].map(
    ([key, value]) => `${KEY.open}${key}${KEY.close}\n${VALUE.open}${valueText(value)}${VALUE.close}\n`,
  )
  return `${name}${CALL.separator}\n${values.join('')}`
}

/** A text as it is, everything else as JSON. */
function valueText(value: PyValue): string {
  return typeof value === 'string' ? value : dumps(value)
}

const LICENCE = 'MIT (the template as llama.cpp carries it)'

/** Keys and values in tags that carry a suffix, calls in one wrapper. Its README describes it with examples. */
export const hyV3: Format = grammarFormat({
  id: 'hy-v3',
  specialTokens: HY_V3_SPECIALS,
  servedAs: { vllm: ['hy_v3'], sglang: ['hunyuan'] },
  unread: {
    opens: /<tool_calls:opensource>\s{0,8}<tool_call:opensource>/,
    body: { closes: CALL.close },
  },
  about: { models: 'Hy3', source: 'chat template of Hy3, sha256 84437b97…14873', licence: LICENCE },
  make: () => ({
    grammar: makeGrammar(),
    spelling: {
      thought: THINK,
      section: { open: `${CALLS.open}\n`, close: CALLS.close },
      call: ({ name }, given) => `${CALL.open}${callText(name, given)}${CALL.close}\n`,
    },
  }),
  prompt,
})

/** The prompt as the template of Hy3 writes it. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const effort = effortOf(options)
    writeHead(writer, { messages, tools, effort })
    const lastUser = messages.findLastIndex((message) => roleOf(message) === 'user')
    const keepsThoughts = truthy(options.has('preserved_thinking') ? options.get('preserved_thinking') : tools)
    const results = { areOpen: false, mayOpen: true }
    const endResults = (): void => {
      if (results.areOpen) writer.add(RESULTS.close)
      results.areOpen = false
    }
    for (const [index, message] of messages.entries()) {
      switch (roleOf(message)) {
        case 'user':
          endResults()
          writer.add(USER, shownContent(message))
          break
        case 'assistant':
          endResults()
          writeAnswer(writer, { message, showsThought: keepsThoughts || index > lastUser })
          if (messageCalls(message).length > 0) results.mayOpen = true
          else if (index === messages.length - 1) break
          writer.add(END)
          break
        case 'tool':
          results.areOpen = true
          // As in the template: results that no new call precedes share the tag of earlier ones.
          if (results.mayOpen) writer.add(RESULTS.open, '\n')
          results.mayOpen = false
          writer.add(RESULT.open, `\n${shownContent(message)}\n`, RESULT.close, '\n')
          break
        default:
      }
    }
    endResults()
    if (truthy(options.get('add_generation_prompt')) && roleOf(messages.at(-1)) !== 'assistant')
      writer.add(ASSISTANT, '', THINK.open, '', effort === NO_THOUGHT ? THINK.close : '')
    return writer.parts()
  })
}

const NO_THOUGHT = 'no_think'

function effortOf(options: PyDict): string {
  const given = options.has('reasoning_effort') ? options.get('reasoning_effort') : NO_THOUGHT
  if (given === NO_THOUGHT || given === 'low' || given === 'high') return given
  throw new Refusal('reasoning_effort has to be no_think, low or high')
}

/** All system messages, wherever they are, and the tools. */
function writeHead(
  writer: PartWriter,
  { messages, tools, effort }: Pick<Conversation, 'messages' | 'tools'> & { readonly effort: string },
): void {
  const system = messages.map((message) => (roleOf(message) === 'system' ? shownContent(message) : '')).join('')
  writer.add(`<｜hy_begin_of_sentence${SUFFIX}｜>`, system)
  if (truthy(tools)) writeTools(writer, tools ?? [], system === '' ? '' : '\n\n')
  writer.add(`<｜reasoning_mode${SUFFIX}｜>`, `reasoning_effort:${effort}`)
}

/** Null says nothing. */
function shownContent(message: PyDict): string {
  return (message.get('content') ?? null) === null ? '' : visibleText(message)
}

function writeAnswer(
  writer: PartWriter,
  { message, showsThought }: { readonly message: PyDict; readonly showsThought: boolean },
): void {
  writer.add(ASSISTANT, '', THINK.open, showsThought ? thoughtOf(message) : '', THINK.close, shownContent(message))
  const calls = messageCalls(message)
  if (calls.length === 0) return
  writer.add(CALLS.open, '\n')
  for (const call of calls) writeCall(writer, call)
  writer.add(CALLS.close)
}

function thoughtOf(message: PyDict): string {
  const texts = [message.get('reasoning_content'), message.get('reasoning')]
  return texts.find((text) => typeof text === 'string') ?? ''
}

function writeCall(writer: PartWriter, { name, arguments: given, isBare }: MessageCall): void {
  if (isBare) throw new Refusal(`the call of ${name} has no member "function"`)
  if (!isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
  writer.add(CALL.open, name, CALL.separator, '\n')
  for (const [key, value] of given) {
    writer.add(KEY.open, key, KEY.close, '\n')
    writer.add(VALUE.open, valueText(value), VALUE.close, '\n')
  }
  writer.add(CALL.close, '\n')
}

/** The texts of the prompt, from the chat template of Hy3, which llama.cpp carries (MIT). */
function writeTools(writer: PartWriter, tools: readonly PyValue[], gap: string): void {
  writer.text(`${gap}${TOOLS_HEAD}${tools.map((tool) => dumps(tool)).join('\n')}${TOOLS_TAIL}`)
  writer.add(CALLS.open, '\nFor each function call, you should return object like:\n')
  writer.add(CALL.open, '{function-name}', CALL.separator, '\n')
  for (const number of [1, 2]) {
    writer.add(KEY.open, `{arg-key-${number}}`, KEY.close, '\n')
    writer.add(VALUE.open, `{arg-value-${number}}`, VALUE.close, '\n')
  }
  writer.text('...\n')
  writer.add(CALL.close, '\nAt the end of function call returns, you should print ', CALLS.close)
}

/** Before the tools. */
const TOOLS_HEAD = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
`

/** After the tools. */
const TOOLS_TAIL = `
</tools>

For function call returns, you should first print `
