import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, lstrip, str, strip, truthy } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { messageCalls, roleOf, textMember, thoughtAndContent } from '../../conversation/message-view.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format, WriteCall } from '../../format/format.ts'
import type { Grammar, ValuePlace } from '../../grammar/grammar.ts'
import { allowsText, typeValueBySchema } from '../../grammar/values.ts'
import { thoughtStates } from '../shared-states.ts'
import { MINICPM5_SPECIALS } from '../special-tokens.ts'

const CALL = '<function name="'
const END = '</function>'
const KEY = '<param name="'
const CDATA = '<![CDATA['

/** How replies are read. Without a wrapper, a call begins only where a name and what may follow it are whole. */
const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|im_end|>'],
  // The end of a tag of any markup.
  common: ['">'],
  states: {
    ...thoughtStates({ open: '<think>', close: '</think>', calls: { [CALL]: { to: 'name', opens: true } } }),
    // > <function name="clock"></function>
    //                   ^
    // > Write <function name="NAME"> here.
    //                         ^            no call: neither a parameter nor the end follows
    name: {
      kind: 'name',
      fallback: 'text',
      transitions: { '">': { to: 'body', followedBy: [KEY, END] }, '<': 'text', '\n': 'text' },
    },
    // > <function name="f"><param name="k">v</param></function>
    //                      ^                        ^
    body: { kind: 'nothing', transitions: { [KEY]: 'key', [END]: { to: 'text', closes: true } } },
    // > <function name="f"><param name="k">v</param></function>
    //                                   ^
    key: { kind: 'key', transitions: { '">': 'begin' } },
    // > <function name="f"><param name="k"><![CDATA[v]]></param></function>
    //                                      ^
    begin: { kind: 'nothing', fallback: 'value', transitions: { [CDATA]: 'cdata' } },
    // > <function name="f"><param name="k">v</param></function>
    //                                      ^
    value: { kind: 'value', nextKey: /^<param name="([^"\n]{1,200})">/gm, transitions: { '</param>': 'body' } },
    // > <function name="f"><param name="k"><![CDATA[a</param>b]]></param></function>
    //                                               ^
    cdata: { kind: 'value', transitions: { ']]></param>': 'body', ']]>\n</param>': 'body' } },
  },
  typeValue,
}

/** History prints values that are not texts as Python does. Only texts are put into CDATA. */
const typeBySchema = typeValueBySchema({ lineFeeds: 0, pythonWords: true, pythonLiterals: true })

function typeValue(text: string, place: ValuePlace): string {
  return place.opener === CDATA && allowsText(place) ? dumps(text) : typeBySchema(text, place)
}

/** A call as the template writes it: a text with markup or lines in CDATA, everything else as Python's `str` prints it. */
function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(([key, value]) => `${KEY}${key}">${valueText(value)}</param>`)
  return `${CALL}${name}">${parameters.join('')}${END}`
}

function valueText(value: PyValue): string {
  if (typeof value !== 'string') return str(value)
  return /[<&\n]/.test(value) ? `${CDATA}${value}]]>` : value
}

const writeCall: WriteCall = ({ name }, given) => callText(name, given)

/** Functions and parameters in tags without a wrapper, texts in CDATA. Its README describes it with examples. */
export const minicpm5: Format = grammarFormat({
  id: 'minicpm5',
  specialTokens: MINICPM5_SPECIALS,
  servedAs: { vllm: ['minicpm5'], sglang: ['minicpm5'] },
  unread: { opens: /<function name="[^"\s<]{1,80}">\s{0,8}<(?:param name="|\/function>)/, body: { closes: END } },
  about: { models: 'MiniCPM5', source: 'chat template of MiniCPM5-1B, sha256 7451a05c…f47c', licence: 'Apache-2.0' },
  grammar,
  spelling: {
    thought: { open: '<think>\n', close: '\n</think>\n\n' },
    beforeCalls: '\n',
    betweenCalls: '\n',
    call: writeCall,
  },
  prompt,
})

/** The prompt as the template of MiniCPM5 writes it. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const writer = partWriter()
    writer.add('<s>')
    writeSystem(writer, roleOf(first) === 'system' ? textMember(first, 'content') : null, tools ?? [])
    const asked = messages.findLastIndex(isQuestion)
    const lastQuestion = asked < 0 ? messages.length - 1 : asked
    for (const [index, message] of messages.entries()) {
      const role = roleOf(message)
      if (role === 'user' || (role === 'system' && index > 0)) writeTurn(writer, role, contentOf(message))
      else if (role === 'assistant') writeAnswer(writer, message, index > lastQuestion)
      else if (role === 'tool') writeResult(writer, messages, index)
    }
    if (!truthy(options.get('add_generation_prompt'))) return writer.parts()
    writer.add('<|im_start|>', 'assistant\n')
    const thinking = options.get('enable_thinking')
    if (thinking === false) writer.add('<think>', '\n\n', '</think>', '\n\n')
    else if (thinking === true) writer.add('<think>', '\n')
    return writer.parts()
  })
}

/** The tools follow the system text, or are put in where it has a mark for them. */
function writeSystem(writer: PartWriter, system: string | null, tools: readonly PyValue[]): void {
  if (tools.length === 0) {
    if (system !== null) writeTurn(writer, 'system', system)
    return
  }
  const list = `${TOOLS_HEAD}${tools.map((tool) => `\n${dumps(tool)}`).join('')}${TOOLS_TAIL}`
  if (system === null) writeTurn(writer, 'system', list)
  else if (system.includes(TOOLS_MARK)) writeTurn(writer, 'system', system.split(TOOLS_MARK).join(list))
  else writeTurn(writer, 'system', `${system}\n\n${list}`)
}

function writeTurn(writer: PartWriter, role: string, text: string): void {
  writer.add('<|im_start|>', `${role}\n${text}`, '<|im_end|>', '\n')
}

/** As in the template: content that is not a text is shown as nothing. */
function contentOf(message: PyDict): string {
  const content = message.get('content')
  return typeof content === 'string' ? content : ''
}

/** A user message that is no more than results asks nothing. */
function isQuestion(message: PyDict): boolean {
  const content = message.get('content')
  if (roleOf(message) !== 'user' || typeof content !== 'string') return false
  return !(content.startsWith('<tool_response>') && content.endsWith('</tool_response>'))
}

function writeAnswer(writer: PartWriter, message: PyDict, isBehindQuestion: boolean): void {
  const { thought, content } = thoughtAndContent(message, contentOf(message))
  const calls = messageCalls(message)
  // As in the template: of a content with a mark for calls, the text before the mark is shown, and no call is put in.
  const said = calls.length > 0 ? (content.split(CALL_MARK)[0] ?? '') : content
  writer.add('<|im_start|>', 'assistant\n')
  const isThoughtShown = isBehindQuestion && thought !== ''
  if (isThoughtShown) writer.add('<think>', `\n${strip(thought, '\n')}\n`, '</think>', '\n\n')
  writer.text(isThoughtShown ? lstrip(said, '\n') : said)
  for (const [index, { name, arguments: given }] of calls.entries()) {
    if (truthy(given) && !isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
    if (index > 0 || said !== '') writer.text('\n')
    writer.text(callText(name, isDict(given) ? given : new Map()))
  }
  writer.add('<|im_end|>', '\n')
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, messages: readonly PyDict[], index: number): void {
  const content = messages[index]?.get('content')
  if (content === undefined) throw new Refusal('a result has no content')
  if (roleOf(messages[index - 1]) !== 'tool') writer.add('<|im_start|>', 'user')
  writer.text(`\n<tool_response>\n${typeof content === 'string' ? content : dumps(content)}\n</tool_response>`)
  if (roleOf(messages[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
}

/** Marks in a system text and in a content, in place of which the maker's data has tools and calls. */
const TOOLS_MARK = '<tool_def_sep>'
const CALL_MARK = '<tool_sep>'

/** The texts of the prompt, from the chat template of MiniCPM5 (Apache-2.0; sha256 7451a05c…f47c). */

/** Before the tools. */
const TOOLS_HEAD = `# Tools

You are provided with function signatures within <tools></tools> XML tags:
<tools>`

/** After the tools. */
const TOOLS_TAIL = `
</tools>

Tool usage guidelines:
- You may call zero or more functions. If no function calls are needed, just answer normally and do not include any <function ... </function>.
- When calling a function, return an XML object within <function ... </function> using:
<function name="function-name"><param name="param-name">param-value</param></function>
- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: <param name="param-name"><![CDATA[...multi-line value...]]></param>`
