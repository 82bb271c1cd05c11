import { dumps, isDict, isList, lstrip, rstrip, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { joinParts, partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome, PromptPart } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, thoughtAndContent } from '../../conversation/message-view.ts'
import type { MessageCall, ThoughtAndContent } from '../../conversation/message-view.ts'
import { TAG_INSTRUCTION, taggedCall } from '../shared-states.ts'

/** In what the templates differ. */
interface Template {
  /** How values are shown that are neither texts nor maps nor lists: as Python's `str` prints them, or as JSON. */
  readonly words: 'python' | 'json'
  /** When the thoughts of old turns are shown: never, where `preserve_thinking` is true, or unless it is given as something else. */
  readonly oldThoughts: 'never' | 'asked' | 'kept'
  /** Whether the system turn says how much to think, which `reasoning_effort` changes. */
  readonly saysEffort: boolean
  /** Whether a thought is also looked for in the content of a message. */
  readonly findsThoughts: boolean
  /** Whether thinking can be off, and messages can hold pictures and videos. */
  readonly isSmall: boolean
}

const QWEN35: Template = {
  words: 'python',
  oldThoughts: 'never',
  saysEffort: false,
  findsThoughts: true,
  isSmall: true,
}
const QWEN36: Template = { ...QWEN35, words: 'json', oldThoughts: 'asked' }
const QWEN38: Template = { ...QWEN36, oldThoughts: 'kept', saysEffort: true, findsThoughts: false }
const QWEN38_MAX: Template = { ...QWEN38, isSmall: false }

/** The prompt as the template of Qwen3.5 writes it. */
export function qwen35Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, QWEN35)
}

/** That of Qwen3.6: values are JSON, and `preserve_thinking` keeps the thoughts of old turns. */
export function qwen36Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, QWEN36)
}

/** That of Qwen3.8: the thoughts of old turns stay, and a sentence says how much to think. */
export function qwen38Prompt(conversation: Conversation): PromptOutcome {
  return write(conversation, QWEN38)
}

/** That of Qwen3.8-Max, which always thinks and sees no pictures. */
export function qwen38MaxPrompt(conversation: Conversation): PromptOutcome {
  return write(conversation, QWEN38_MAX)
}

function write({ messages, tools, options }: Conversation, template: Template): PromptOutcome {
  return prompting(() => {
    const first = messages[0]
    if (first === undefined) throw new Refusal('there is no message')
    const isSilent = options.get('enable_thinking') === false
    if (isSilent && !template.isSmall) throw new Refusal('this model always thinks')
    const writer = partWriter()
    const effort = template.saysEffort ? effortText(options) : ''
    const system = roleOf(first) === 'system' ? systemText(first, template) : null
    writeSystem(writer, { system, tools: tools ?? [], effort, template })
    const show = contentShower(options, template)
    const lastQuery = messages.findLastIndex((message) => isQuery(message, template))
    if (lastQuery < 0) throw new Refusal('no message of the user is a question')
    for (const [index, message] of messages.entries()) {
      const showsThought = index > lastQuery || keepsOld(template, options)
      writeMessage(writer, { message, messages, index, showsThought, show, template })
    }
    if (truthy(options.get('add_generation_prompt'))) {
      writer.add('<|im_start|>', 'assistant\n', '<think>', '\n')
      if (isSilent) writer.add('', '\n', '</think>', '\n\n')
    }
    return writer.parts()
  })
}

function keepsOld({ oldThoughts }: Template, options: PyDict): boolean {
  const asked = options.get('preserve_thinking')
  return oldThoughts !== 'never' && (asked === true || (oldThoughts === 'kept' && asked === undefined))
}

/** What the system turn says of the effort; nothing where thinking is not simply on, or the effort is in between. */
function effortText(options: PyDict): string {
  const isOn = !options.has('enable_thinking') || options.get('enable_thinking') === true
  if (!isOn) return ''
  const effort = options.has('reasoning_effort') ? options.get('reasoning_effort') : 'xhigh'
  const text = typeof effort === 'string' ? EFFORTS.get(effort) : undefined
  if (text === undefined) throw new Refusal('the reasoning_effort of this family is xhigh, medium or low')
  return text
}

interface System {
  /** Null where the first message is not one of the system. */
  readonly system: string | null
  readonly tools: readonly PyValue[]
  readonly effort: string
  readonly template: Template
}

/** The effort comes first, then the tools, then the system text. */
function writeSystem(writer: PartWriter, { system, tools, effort, template }: System): void {
  const isShown = template.saysEffort ? effort !== '' || system : system !== null
  if (tools.length === 0 && !isShown) return
  const list = tools.map((tool) => `\n${dumps(tool)}`).join('')
  const offered = tools.length === 0 ? '' : `${TOOLS_HEAD}${list}\n</tools>${TAG_INSTRUCTION}`
  const said = [effort, offered, system ?? ''].filter((each) => each !== '').join('\n\n')
  writer.add('<|im_start|>', `system\n${said}`, '<|im_end|>', '\n')
}

const TOOLS_HEAD = '# Tools\n\nYou have access to the following functions:\n\n<tools>'

/** The texts of the chat template of Qwen3.8 (Apache-2.0). */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  [
    'xhigh',
    'Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.',
  ],
  ['medium', ''],
  [
    'low',
    'Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without unnecessary elaboration.',
  ],
])

function systemText(message: PyDict, template: Template): string {
  const parts = contentShower(NO_OPTIONS, template)(message)
  if (parts.some(({ kind }) => kind === 'token')) throw new Refusal('the system message holds a picture or a video')
  return joinParts(parts)
}

const NO_OPTIONS: PyDict = new Map()

/** A user message that is no more than results asks nothing. */
function isQuery(message: PyDict, template: Template): boolean {
  if (roleOf(message) !== 'user') return false
  const text = joinParts(contentShower(NO_OPTIONS, template)(message))
  return !(text.startsWith('<tool_response>') && text.endsWith('</tool_response>'))
}

interface Place {
  readonly message: PyDict
  readonly messages: readonly PyDict[]
  readonly index: number
  readonly showsThought: boolean
  readonly show: ShowContent
  readonly template: Template
}

function writeMessage(writer: PartWriter, place: Place): void {
  const { message, index, show } = place
  const role = roleOf(message)
  const parts = show(message)
  switch (role) {
    case 'system':
      if (index > 0) throw new Refusal('a system message is not the first message')
      return
    case 'user':
      writer.add('<|im_start|>', 'user\n')
      writer.show(parts)
      writer.add('<|im_end|>', '\n')
      return
    case 'assistant':
      return writeAnswer(writer, joinParts(parts), place)
    case 'tool':
      return writeResult(writer, parts, place)
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

function writeAnswer(writer: PartWriter, said: string, { message, showsThought, template }: Place): void {
  const { thought, content } = template.findsThoughts ? thoughtAndContent(message, said) : givenThought(message, said)
  const style = { words: template.words, feed: '\n' } as const
  writer.add('<|im_start|>', 'assistant\n')
  if (showsThought) writer.add('<think>', `\n${strip(thought)}\n`, '</think>', '\n\n')
  writer.text(content)
  for (const [index, call] of messageCalls(message).entries()) {
    writer.text(index > 0 ? '\n' : strip(content) === '' ? '' : '\n\n')
    writer.add('<tool_call>', taggedCall(call.name, shownArguments(call, template), style), '</tool_call>')
  }
  writer.add('<|im_end|>', '\n')
}

function givenThought(message: PyDict, content: string): ThoughtAndContent {
  const thought = message.get('reasoning_content')
  return { thought: typeof thought === 'string' ? thought : '', content }
}

/** A call without arguments may have an empty text for them where the template says the effort. */
function shownArguments(call: MessageCall, { saysEffort }: Template): PyDict {
  return saysEffort && call.arguments === '' ? NO_OPTIONS : mapArguments(call)
}

/** Neighbouring results share a turn; as in the template: a result at the front has no head. */
function writeResult(writer: PartWriter, parts: readonly PromptPart[], { messages, index }: Place): void {
  if (index > 0 && roleOf(messages[index - 1]) !== 'tool') writer.add('<|im_start|>', 'user')
  writer.text('\n')
  writer.add('<tool_response>', '\n')
  writer.show(parts)
  writer.text('\n')
  writer.add('</tool_response>')
  if (roleOf(messages[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
}

/** Shows what messages say, and counts the pictures and videos of the conversation. */
type ShowContent = (message: PyDict) => readonly PromptPart[]

/** What messages say, without white space at their ends; pictures and videos are tokens, and have numbers if asked for. */
function contentShower(options: PyDict, { isSmall }: Template): ShowContent {
  const counts = { image: 0, video: 0 }
  const isNumbered = truthy(options.get('add_vision_id'))
  const visionParts = (kind: 'image' | 'video'): readonly PromptPart[] => {
    counts[kind] += 1
    const number: PromptPart = { kind: 'text', text: `${NAMES[kind]} ${counts[kind]}: ` }
    const tokens = ['<|vision_start|>', `<|${kind}_pad|>`, '<|vision_end|>']
    return [...(isNumbered ? [number] : []), ...tokens.map((text): PromptPart => ({ kind: 'token', text }))]
  }
  const partsOf = (item: PyValue): readonly PromptPart[] => {
    if (!isDict(item)) throw new Refusal('a part of a message is no object')
    const type = item.get('type')
    const isPicture = item.has('image') || item.has('image_url') || type === 'image'
    if (isPicture && isSmall) return visionParts('image')
    if ((item.has('video') || type === 'video') && isSmall) return visionParts('video')
    if (!item.has('text')) throw new Refusal('a part of a message is neither a text nor a picture nor a video')
    return [{ kind: 'text', text: str(item.get('text') ?? null) }]
  }
  return (message) => {
    const content = message.get('content') ?? null
    if (content === null) return []
    if (typeof content === 'string') return stripped([{ kind: 'text', text: content }])
    if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
    return stripped(joinedTexts(content.flatMap(partsOf)))
  }
}

const NAMES = { image: 'Picture', video: 'Video' } as const

/** Neighbouring texts as one. */
function joinedTexts(parts: readonly PromptPart[]): readonly PromptPart[] {
  const writer = partWriter()
  writer.show(parts)
  return writer.parts()
}

function stripped(parts: readonly PromptPart[]): readonly PromptPart[] {
  return parts.map((part, index) => {
    if (part.kind === 'token') return part
    const text = index === 0 ? lstrip(part.text) : part.text
    return { kind: 'text', text: index === parts.length - 1 ? rstrip(text) : text }
  })
}
