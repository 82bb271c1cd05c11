import { dumps, isDict, isList, lstrip, rstrip, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { joinParts, partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome, PromptPart } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'

const SEP = '<sep>'

/** The prompt as the template of Reka Edge writes it. It thinks only where `enable_thinking` is true. */
export function rekaPrompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const show = contentShower(options)
    const isSystem = ['system', 'developer'].includes(roleOf(messages[0]))
    writeSystem(writer, isSystem && messages[0] !== undefined ? show(messages[0]) : [], tools ?? [])
    const thinks = options.get('enable_thinking') === true
    const lastQuery = messages.findLastIndex(isQuery)
    for (const [index, message] of messages.entries()) {
      if (index === 0 && isSystem) continue
      const isOpen = truthy(options.get('continue_final_message')) && index === messages.length - 1
      const begin = isSystem ? 1 : 0
      const mayThink = thinks && lastQuery >= 0 && index > lastQuery
      writeMessage(writer, { message, messages, index, begin, isOpen, mayThink, show })
    }
    const answers = truthy(options.get('add_generation_prompt')) && roleOf(messages.at(-1)) !== 'assistant'
    if (answers && thinks) writer.add('', 'assistant: ', '<think>', '\n')
    else if (answers) writer.text('assistant:')
    return writer.parts()
  })
}

function writeSystem(writer: PartWriter, system: readonly PromptPart[], tools: readonly PyValue[]): void {
  if (system.length === 0 && tools.length === 0) return
  writer.text('system: ')
  writer.show(system)
  if (tools.length > 0) {
    const list = tools.map((tool) => `\n${dumps(tool, { ensureAscii: true })}`).join('')
    writer.text(`${system.length === 0 ? '' : '\n\n'}${TOOLS_HEAD}${list}${TOOLS_TAIL}`)
  }
  writer.add('', '\n\n', SEP)
}

/** A user message that is no more than results asks nothing. */
function isQuery(message: PyDict): boolean {
  if (roleOf(message) !== 'user') return false
  const content = message.get('content')
  return !(typeof content === 'string' && content.startsWith('<tool_response>') && content.endsWith('</tool_response>'))
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
  /** Where the conversation begins, without the system message. */
  readonly begin: number
  /** Whether the message is to be continued, so that it has no end. */
  readonly isOpen: boolean
  readonly mayThink: boolean
  readonly show: (message: PyDict) => readonly PromptPart[]
}

/** As in the template, a message of another role vanishes. */
function writeMessage(writer: PartWriter, place: Place): void {
  const { message, show } = place
  switch (roleOf(message)) {
    case 'user':
      writer.text(beginsWithPicture(message.get('content') ?? null) ? 'human:' : 'human: ')
      writer.show(show(message))
      return writer.add(SEP)
    case 'assistant':
      return writeAnswer(writer, place)
    case 'tool':
      return writeResult(writer, place)
    default:
  }
}

/** Whether a picture or video is named before the first text. */
function beginsWithPicture(content: PyValue): boolean {
  if (!isList(content)) return false
  for (const item of content) {
    if (!isDict(item)) throw new Refusal('a part of a message is no object')
    if (isText(item)) {
      if (truthy(item.get('text') ?? '')) return false
    } else if (PICTURES.has(str(item.get('type') ?? null)) || VIDEOS.has(str(item.get('type') ?? null))) return true
  }
  return false
}

const PICTURES: ReadonlySet<string> = new Set(['image', 'image_url'])
const VIDEOS: ReadonlySet<string> = new Set(['video', 'video_url'])

function isText(item: PyDict): boolean {
  return item.get('type') === 'text' || (item.get('text') ?? null) !== null
}

function writeAnswer(writer: PartWriter, { message, messages, index, isOpen, mayThink, show }: Place): void {
  const { thought, content } = thoughtIn(message, show(message))
  writer.text('assistant: ')
  if (mayThink && (index === messages.length - 1 || thought !== ''))
    writer.add('<think>', `\n${strip(thought)}\n`, '</think>', '\n\n')
  writer.show(content)
  const calls = messageCalls(message)
  const said = joinParts(content)
  if (calls.length > 0 && said !== '' && !said.endsWith('\n')) writer.text('\n')
  for (const { name, arguments: given, lacksArguments } of calls) {
    const shown = lacksArguments ? '{}' : typeof given === 'string' ? given : dumps(given, { ensureAscii: true })
    writer.add('<tool_call>', `\n{"name": "${name}", "arguments": ${shown}}\n`, '</tool_call>')
  }
  if (!isOpen) writer.add('', '\n\n', SEP)
}

interface ThoughtAndParts {
  readonly thought: string
  readonly content: readonly PromptPart[]
}

/** A thought in the content ends at its first `</think>`. */
function thoughtIn(message: PyDict, shown: readonly PromptPart[]): ThoughtAndParts {
  const given = message.get('reasoning_content')
  if (typeof given === 'string') return { thought: given, content: shown }
  const said = joinParts(shown)
  const close = said.indexOf('</think>')
  if (close < 0) return { thought: '', content: shown }
  const before = rstrip(said.slice(0, close), '\n')
  const open = before.lastIndexOf('<think>')
  const thought = lstrip(open < 0 ? before : before.slice(open + '<think>'.length), '\n')
  return { thought, content: [{ kind: 'text', text: lstrip(said.slice(close + '</think>'.length), '\n') }] }
}

/** Neighbouring results share a turn. */
function writeResult(writer: PartWriter, { message, messages, index, begin, show }: Place): void {
  if (index === begin || roleOf(messages[index - 1]) !== 'tool') writer.text('human: ')
  writer.text('<tool_response>\n')
  writer.show(show(message))
  writer.text('\n</tool_response>')
  if (roleOf(messages[index + 1]) !== 'tool') writer.add(SEP)
}

/** What messages say; a picture or a frame of a video is as many tokens as the options say. */
function contentShower(options: PyDict): (message: PyDict) => readonly PromptPart[] {
  const perPicture = countIn(options, 'num_img_tokens', 64)
  const frames = countIn(options, 'num_video_frames', 6)
  return (message) => {
    const content = message.get('content') ?? null
    if (content === null) return []
    if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
    if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
    const writer = partWriter()
    let isBehindText = false
    for (const item of content) {
      if (!isDict(item)) throw new Refusal('a part of a message is no object')
      if (isText(item)) {
        const text = item.has('text') ? (item.get('text') ?? null) : ''
        if (truthy(text)) writer.text(`${isBehindText ? ' ' : ''}${str(text)}`)
        isBehindText = text !== ''
      } else if (hasPicture(item)) {
        addPlaces(writer, 'image', perPicture)
        isBehindText = false
      } else if (hasVideo(item)) {
        addPlaces(writer, 'video', perPicture * frames)
        isBehindText = false
      }
    }
    return writer.parts()
  }
}

function hasPicture(item: PyDict): boolean {
  return PICTURES.has(str(item.get('type') ?? null)) || (item.get('image') ?? item.get('image_url') ?? null) !== null
}

function hasVideo(item: PyDict): boolean {
  return VIDEOS.has(str(item.get('type') ?? null)) || (item.get('video') ?? item.get('video_url') ?? null) !== null
}

function addPlaces(writer: PartWriter, name: string, count: number): void {
  writer.add(`<${name}>`)
  for (let at = 0; at < count; at += 1) writer.add('<REKA_IMG_TOKEN>')
  writer.add(`</${name}>`)
}

/** More is no picture: what a caller gives must not fill the memory. */
const MOST_TOKENS = 100_000

function countIn(options: PyDict, key: string, usual: number): number {
  const given = options.get(key) ?? null
  if (!truthy(given)) return usual
  if (typeof given !== 'bigint' || given < 0n || given > MOST_TOKENS)
    throw new Refusal(`${key} is no number from 1 to ${MOST_TOKENS}`)
  return Number(given)
}

/** The texts of the prompt, from the chat template of Reka Edge (as carried by llama.cpp: MIT). */
const TOOLS_HEAD =
  '# Tools\n\nYou may call one or more functions to assist with the user query.\n\n' +
  'You are provided with function signatures within <tools></tools> XML tags:\n<tools>'

const TOOLS_TAIL =
  '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n' +
  '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
