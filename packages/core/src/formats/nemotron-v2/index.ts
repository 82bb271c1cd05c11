import { dumps, isDict, isList, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { messageCalls, printedMember, roleOf } from '../../conversation/message-view.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format } from '../../format/format.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { argumentsInBody, readJsonCalls } from '../../grammar/json.ts'
import { thoughtStates } from '../shared-states.ts'
import { NEMOTRON_V2_SPECIALS } from '../special-tokens.ts'

const OPEN = '<TOOLCALL>'
const CLOSE = '</TOOLCALL>'
const TURN = '<SPECIAL_11>'
const END = '<SPECIAL_12>'

/** How replies are read. */
const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: [END],
  states: {
    ...thoughtStates({ open: '<think>', close: '</think>', calls: { [OPEN]: { to: 'calls', opens: true } } }),
    // > <TOOLCALL>[{"name": "f", "arguments": {}}]</TOOLCALL>
    //             ^
    calls: { kind: 'calls', bodyStart: '[', next: 'end', transitions: { [CLOSE]: 'text' } },
    // > <TOOLCALL>[{"name": "f", "arguments": {}}]</TOOLCALL>
    //                                             ^
    end: { kind: 'nothing', mayBeTruncated: true, transitions: { [CLOSE]: 'text' } },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}

/** One JSON list in a pair of tags, after a thought that the prompt opens. Its README describes it with examples. */
export const nemotronV2: Format = grammarFormat({
  id: 'nemotron-v2',
  specialTokens: NEMOTRON_V2_SPECIALS,
  servedAs: {},
  unread: { opens: /<TOOLCALL>\s{0,4}\[/, body: 'json' },
  about: {
    models: 'NVIDIA Nemotron Nano v2',
    source: 'chat template of NVIDIA-Nemotron-Nano-9B-v2, sha256 52ae8e50…7b3f8',
    licence: 'MIT (the template as llama.cpp carries it)',
  },
  grammar,
  spelling: {
    thought: { open: '<think>\n', close: '\n</think>\n\n' },
    beforeCalls: '\n',
    section: { open: `${OPEN}[`, close: `]${CLOSE}` },
    betweenCalls: ', ',
    call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}}`,
  },
  prompt,
})

/** The prompt as the template of Nemotron Nano v2 writes it. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const thinks = thinksAfter(messages)
    const system = roleOf(messages[0]) === 'system' ? messages[0] : undefined
    writeSystem(writer, system, tools ?? [])
    const rest = system === undefined ? messages : messages.slice(1)
    if (rest.length === 0) throw new Refusal('no message follows that of the system')
    const last = roleOf(rest.at(-1)) === 'assistant' ? rest.at(-1) : undefined
    const turns = last === undefined ? rest : rest.slice(0, -1)
    for (const [index, message] of turns.entries()) {
      const role = roleOf(message)
      if (role === 'user') writer.add(TURN, `User\n${withoutSwitches(textOf(message))}\n`)
      else if (role === 'tool') writeResult(writer, { message, before: turns[index - 1], after: turns[index + 1] })
      else if (role === 'assistant') writeAnswer(writer, message)
    }
    const said = last === undefined ? '' : strip(textOf(last))
    const isAsked = truthy(options.get('add_generation_prompt') ?? null)
    if (isAsked || said !== '') {
      writer.add(TURN, 'Assistant\n')
      writer.text(`${thinks ? '<think>\n' : '<think></think>'}${said}`)
    }
    if (isAsked) return writer.parts()
    if (said !== '' && (!options.has('continue_final_message') || options.get('continue_final_message') === false))
      writer.add('', '\n', END, '\n')
    if (last !== undefined) writeLastCalls(writer, last)
    return writer.parts()
  })
}

/** The last message of user or system with a switch decides; without one the model thinks. */
function thinksAfter(messages: readonly PyDict[]): boolean {
  let thinks = true
  for (const message of messages) {
    const content = message.get('content')
    if (!['user', 'system'].includes(roleOf(message)) || content === undefined) continue
    if (isList(content) || isDict(content)) continue
    if (typeof content !== 'string') throw new Refusal('the content of a message of user or system is not a text')
    if (content.includes('/think')) thinks = true
    else if (content.includes('/no_think')) thinks = false
  }
  return thinks
}

/** A text; empty for what is missing, null or empty. */
function textOf(message: PyDict): string {
  const content = message.get('content') ?? null
  if (!truthy(content)) return ''
  if (typeof content === 'string') return content
  throw new Refusal(
    `the content of a message of role ${roleOf(message)} is not a text: this template takes a text only`,
  )
}

function withoutSwitches(text: string): string {
  return strip(text.replaceAll('/think', '').replaceAll('/no_think', ''))
}

function writeSystem(writer: PartWriter, system: PyDict | undefined, tools: readonly PyValue[]): void {
  const said = system === undefined ? '' : withoutSwitches(textOf(system))
  writer.add('<SPECIAL_10>', `System\n${said}`)
  if (tools.length > 0) {
    const shown = tools.map((tool) =>
      dumps(isDict(tool) && tool.has('function') ? (tool.get('function') ?? null) : tool),
    )
    writer.text(`${said === '' ? '' : '\n\n'}${TOOLS_HEAD}[${shown.join(', ')}]${TOOLS_TAIL}`)
  }
  writer.text('\n\n')
}

/** Thoughts are left out: what is between the first two closing tags is shown. */
function writeAnswer(writer: PartWriter, message: PyDict): void {
  const [before = '', after] = textOf(message).split('</think>')
  const content = strip(after ?? before)
  writer.add(TURN, `Assistant\n${content}`)
  const calls = callsText(message)
  if (calls !== '') writer.text(content === '' ? calls : `\n${calls}`)
  writer.add('', '\n', END, '\n')
}

/** Names are not escaped; arguments that are a text are shown as they are. */
function callsText(message: PyDict): string {
  if (truthy(message.get('tool_calls') ?? null) && !isList(message.get('tool_calls') ?? null))
    throw new Refusal('tool_calls is not a list')
  const calls = messageCalls(message).map(({ name, arguments: given, lacksArguments }) => {
    if (lacksArguments) throw new Refusal(`the call of ${name} has no arguments`)
    return `{"name": "${name}", "arguments": ${typeof given === 'string' ? given : dumps(given)}}`
  })
  return calls.length === 0 ? '' : `${OPEN}[${calls.join(', ')}]${CLOSE}`
}

/** The calls of the last message follow in a turn of their own. */
function writeLastCalls(writer: PartWriter, message: PyDict): void {
  if (message.has('tool_calls') && message.get('tool_calls') === null) throw new Refusal('tool_calls is null')
  const calls = callsText(message)
  if (calls !== '') writer.add(TURN, `Assistant\n${calls}`, END, '\n\n')
}

interface Place {
  readonly message: PyDict
  readonly before: PyDict | undefined
  readonly after: PyDict | undefined
}

/** Neighbouring results share a turn of the user, without anything at its end. */
function writeResult(writer: PartWriter, { message, before, after }: Place): void {
  if (roleOf(before) !== 'tool') writer.add(TURN, 'User\n<TOOL_RESPONSE>[')
  writer.text(printedMember(message, 'content'))
  writer.text(roleOf(after) === 'tool' ? ', ' : ']</TOOL_RESPONSE>')
}

/** The texts of the prompt, from the chat template of NVIDIA-Nemotron-Nano-9B-v2 (MIT as llama.cpp carries it; sha256 52ae8e50…7b3f8). */

/** Before the tools. */
const TOOLS_HEAD = 'You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>'

/** After the tools. */
const TOOLS_TAIL = `</AVAILABLE_TOOLS>

If you decide to call any tool(s), use the following format:
<TOOLCALL>[{{"name": "tool_name1", "arguments": "tool_args1"}}, {{"name": "tool_name2", "arguments": "tool_args2"}}]</TOOLCALL>

The user will execute tool-calls and return responses from tool(s) in this format:
<TOOL_RESPONSE>[{{"tool_response1"}}, {{"tool_response2"}}]</TOOL_RESPONSE>

Based on the tool responses, you can call additional tools if needed, correct tool calls if any errors are found, or just respond to the user.`
