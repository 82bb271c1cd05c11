import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList, str, strip, truthy } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { joinParts, partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { loopedItems, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { END_THINK, THINK, TOKEN } from './tags.ts'

/** The prompt as the template of MiniMax-M3 writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    // Messages of these roles count at the front only.
    const root = roleOf(messages[0]) === 'root' ? messages[0] : undefined
    const others = root === undefined ? messages : messages.slice(1)
    const developer = ['system', 'developer'].includes(roleOf(others[0])) ? others[0] : undefined
    const rest = developer === undefined ? others : others.slice(1)
    writer.add(']~!b[', '', ']~b]', 'system\n')
    writeSystem(writer, root, options)
    writer.add('[e~[', '\n', ']~b]', 'developer\n')
    if (hasContent(developer)) writeVisible(writer, developer)
    else writer.text(options.has('model_identity') ? str(options.get('model_identity') ?? null) : IDENTITY)
    if (truthy(tools)) writeTools(writer, tools ?? [])
    writer.add('[e~[', '\n')
    let hasCalled = false
    for (const [index, message] of rest.entries()) {
      const place = { message, before: rest[index - 1], after: rest[index + 1] }
      const role = roleOf(message)
      if (role === 'assistant') hasCalled = writeAnswer(writer, message)
      else if (role === 'tool') {
        if (!hasCalled) throw new Refusal('a result follows no call')
        writeResult(writer, place)
      } else if (role === 'user') {
        writer.add(']~b]', 'user\n')
        writeVisible(writer, message)
        writer.add('[e~[', '\n')
      }
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add(']~b]', 'ai\n', opening(options))
    return writer.parts()
  })
}

/** The prompt opens or closes a thought only if it is asked to; by default the model decides. */
function opening(options: PyDict): string {
  const mode = options.get('thinking_mode')
  if (mode === 'enabled') return THINK
  return mode === 'disabled' ? END_THINK : ''
}

function hasContent(message: PyDict | undefined): message is PyDict {
  return truthy(message?.get('content') ?? null)
}

function writeSystem(writer: PartWriter, root: PyDict | undefined, options: PyDict): void {
  if (hasContent(root)) writeVisible(writer, root)
  else writer.text(ROOT)
  writer.text(`\n\n<thinking_instructions>\n${THINKING[0]}`)
  writer.add(THINK, '', END_THINK, THINKING[1], END_THINK, THINKING[2])
  const mode = options.has('thinking_mode') ? (options.get('thinking_mode') ?? null) : 'adaptive'
  const sentence = typeof mode === 'string' ? MODES.get(mode) : undefined
  if (sentence !== undefined) writer.text(`Current thinking mode: ${sentence}\n`)
  writer.text('</thinking_instructions>')
}

/** Only the inner map of a tool is shown. */
function writeTools(writer: PartWriter, tools: readonly PyValue[]): void {
  const list = tools.map((tool) => {
    const inner = isDict(tool) ? tool.get('function') : undefined
    if (inner === undefined) throw new Refusal('a tool has no member "function"')
    return `<tool>${dumps(inner)}</tool>\n`
  })
  writer.text(TOOLS_HEAD + list.join('') + TOOLS_TAIL)
  for (const text of EXAMPLE) writer.add(TOKEN, text)
}

/** What a message says, with a token for every image and video; nothing for null. */
function writeVisible(writer: PartWriter, message: PyDict): void {
  const content = message.get('content') ?? null
  if (content === null) return
  if (!isList(content)) writer.text(str(content))
  else for (const part of content) if (!writeMedia(writer, part)) writer.text(textOfPart(part))
}

/** @returns whether the part is an image or a video */
function writeMedia(writer: PartWriter, part: PyValue): boolean {
  const type = isDict(part) ? part.get('type') : null
  if (type === 'image') writer.add(']<]image[>[')
  else if (type === 'video') writer.add(']<]video[>[')
  else return false
  return true
}

function textOfPart(part: PyValue): string {
  if (typeof part === 'string') return part
  return isDict(part) && part.get('type') === 'text' && part.has('text') ? str(part.get('text') ?? null) : ''
}

/** Thoughts of all turns are shown; a turn without one begins with the end of a thought. @returns whether it calls a tool */
function writeAnswer(writer: PartWriter, message: PyDict): boolean {
  writer.add(']~b]', 'ai\n')
  const { thought, content } = thoughtAndContent(message)
  if (thought === '') writer.add(END_THINK)
  else writer.add(THINK, thought, END_THINK)
  writer.text(content)
  const calls = messageCalls(message)
  if (calls.length > 0) {
    writer.add(TOKEN, '<tool_call>\n')
    for (const { name, arguments: given } of calls) {
      if (!isDict(given)) throw new Refusal(`the arguments of ${name} are no map`)
      writer.add(TOKEN, `<invoke name="${name}">`)
      writeMembers(writer, given)
      writer.add(TOKEN, '</invoke>\n')
    }
    writer.add(TOKEN, '</tool_call>')
  }
  writer.add('[e~[', '\n')
  return calls.length > 0
}

/** A thought is the member `reasoning_content`, or what is before the first closing tag in the content. */
function thoughtAndContent(message: PyDict): { readonly thought: string; readonly content: string } {
  const said = partWriter()
  writeVisible(said, message)
  const content = joinParts(said.parts())
  const given = message.get('reasoning_content')
  const close = content.indexOf(END_THINK)
  if (typeof given === 'string' || close < 0) return { thought: typeof given === 'string' ? given : '', content }
  const before = strip(content.slice(0, close), '\n')
  return { thought: afterLast(before, THINK), content: afterLast(content, END_THINK) }
}

/** What follows the last of these marks, or all where there is none; without line feeds at its ends. */
function afterLast(text: string, mark: string): string {
  const at = text.lastIndexOf(mark)
  return strip(at < 0 ? text : text.slice(at + mark.length), '\n')
}

/** Null is left out, and what is empty has no text between its tags: other than a reply, history cannot tell `{}` from `[]`. */
function writeMembers(writer: PartWriter, given: PyDict): void {
  for (const [key, value] of given) if (value !== null) writeTag(writer, key, value)
}

function writeTag(writer: PartWriter, key: string, value: PyValue): void {
  writer.add(TOKEN, `<${key}>`)
  if (isDict(value)) writeMembers(writer, value)
  else if (isList(value)) for (const each of value) writeTag(writer, 'item', each)
  else if (value !== null) writer.text(typeof value === 'boolean' ? dumps(value) : str(value))
  writer.add(TOKEN, `</${key}>`)
}

interface Place {
  readonly message: PyDict
  readonly before: PyDict | undefined
  readonly after: PyDict | undefined
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, { message, before, after }: Place): void {
  const content = message.get('content')
  if (roleOf(before) !== 'tool') writer.add(']~b]', '')
  writer.text(roleOf(before) === 'tool' ? '\n<response>' : 'tool\n<response>')
  if (typeof content === 'string') writer.text(content)
  else for (const item of loopedItems(message)) if (!writeMedia(writer, item)) writer.text(itemText(item))
  writer.text('</response>')
  if (roleOf(after) !== 'tool') writer.add('[e~[', '\n')
}

function itemText(item: PyValue): string {
  if (!isDict(item)) return str(item)
  if (item.has('output')) return str(item.get('output') ?? null)
  return str(item.get('type') === 'text' && item.has('text') ? (item.get('text') ?? null) : item)
}

/** The texts of the prompt, from the chat template of MiniMax-M3 (MIT as forks of llama.cpp carry it; sha256 11421244…9fe64). */

/** What the system turn says where no message has the role root. */
const ROOT =
  'Your model version is MiniMax-M3, developed by MiniMax. Knowledge cutoff: January 2026. Founded in early 2022, MiniMax is a global AI foundation model company committed to advancing the frontiers of AI towards AGI.'

/** What the turn of the developer says where no message of the roles system and developer begins the conversation. */
const IDENTITY = 'You are a helpful assistant.'

/** Around the tags of thoughts in the instructions. */
const THINKING = [
  'You have a thinking capability that allows you to reason step by step before responding. When thinking is enabled, wrap your reasoning in ',
  ' tags before your response. When thinking is disabled, begin your response directly after the ',
  ' prefix. When thinking is adaptive, decide on your own whether to think for the current turn.\n',
] as const

const MODES: ReadonlyMap<string, string> = new Map([
  [
    'enabled',
    'enabled. You MUST think step by step before every response, including after receiving function/tool results.',
  ],
  ['disabled', 'disabled. Do not output any thinking process.'],
  [
    'adaptive',
    'adaptive. You are encouraged to think for complex decision-making, multi-step reasoning, or when analyzing function/tool results.',
  ],
])

/** Before the tools. */
const TOOLS_HEAD = `

# Tools
You may call one or more tools to assist with the user query.
Here are the tools available in JSONSchema format:

<tools>
`

/** After the tools. */
const TOOLS_TAIL = '</tools>\n\nTo call tools, wrap all invocations in a single '

/** What follows each token. */
const EXAMPLE = [
  '<tool_call>',
  '</tool_call> block. Parameter values containing nested objects or arrays are recursively expanded into XML elements. Example:\n\n',
  ...['<tool_call>\n', '<invoke name="tool-name-1">', '<param-1>value-1', '</param-1>', '<param-2>', '<item>'],
  ...['<key-a>val-a', '</key-a>', '<key-b>val-b', '</key-b>', '</item>', '</param-2>', '</invoke>\n'],
  ...['<invoke name="tool-name-2">', '<param-1>value-1', '</param-1>', '</invoke>\n', '</tool_call>'],
]
