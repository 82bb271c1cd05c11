import { rstrip, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, printedMember, roleOf, textMember } from '../../conversation/message-view.ts'
import { TAG_INSTRUCTION, taggedCall } from '../shared-states.ts'
import { tagTool } from '../tag-tools.ts'

/** In what the templates of the three sizes differ. */
interface Template {
  /** Before and after the end of a thought. */
  readonly feed: '' | '\n'
  /** The option that asks for less thinking, and what the last question then ends with. */
  readonly effort: { readonly option: string; readonly word: string } | null
  /** Whether what an old turn said next to its calls loses the white space at its ends. */
  readonly trimsOld: boolean
}

const NANO: Template = { feed: '\n', effort: null, trimsOld: true }
const SUPER: Template = { ...NANO, effort: { option: 'low_effort', word: 'low' } }
const ULTRA: Template = { feed: '', effort: { option: 'medium_effort', word: 'efficient' }, trimsOld: false }

/** The prompt as the template of Nemotron 3 Nano writes it. */
export function nemotronNanoPrompt(conversation: Conversation): PromptOutcome {
  return write(conversation, NANO)
}

/** That of Nemotron 3 Super, which can ask for a low effort. */
export function nemotronSuperPrompt(conversation: Conversation): PromptOutcome {
  return write(conversation, SUPER)
}

/** That of Nemotron 3 Ultra, whose thoughts end without line feeds. */
export function nemotronUltraPrompt(conversation: Conversation): PromptOutcome {
  return write(conversation, ULTRA)
}

function write({ messages, tools, options }: Conversation, template: Template): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there is no message')
    const isSystem = roleOf(first) === 'system'
    const rest = isSystem ? messages.slice(1) : messages
    const writer = partWriter()
    writeSystem(writer, isSystem ? textMember(first, 'content') : '', tools ?? [])
    const lastUser = rest.findLastIndex((message) => roleOf(message) === 'user')
    const truncates = !options.has('truncate_history_thinking') || truthy(options.get('truncate_history_thinking'))
    const { effort } = template
    const ending = effort !== null && truthy(options.get(effort.option)) ? `\n\n{reasoning effort: ${effort.word}}` : ''
    for (const [index, message] of rest.entries()) {
      const isOld = truncates && index < lastUser
      writeMessage(writer, { message, rest, index, isOld, template, ending: index === lastUser ? ending : '' })
    }
    if (truthy(options.get('add_generation_prompt'))) {
      writer.add('<|im_start|>', 'assistant\n', '<think>')
      if (!options.has('enable_thinking') || truthy(options.get('enable_thinking'))) writer.text('\n')
      else writer.add('</think>')
    }
    return writer.parts()
  })
}

/** There is always a system turn; the tools follow the system text. */
function writeSystem(writer: PartWriter, system: string, tools: readonly PyValue[]): void {
  const list = tools.map((tool) => tagTool(tool, 'enum-first')).join('')
  const offered = tools.length === 0 ? '' : `${TOOLS_HEAD}${list}\n</tools>${TAG_INSTRUCTION}`
  const said = [system, offered].filter((each) => each !== '').join('\n\n')
  writer.add('<|im_start|>', `system\n${said}`, '<|im_end|>', '\n')
}

const TOOLS_HEAD = '# Tools\n\nYou have access to the following functions:\n\n<tools>'

interface Place {
  readonly message: PyDict
  readonly rest: readonly PyDict[]
  readonly index: number
  /** Whether a question follows, so that the thought is left out. */
  readonly isOld: boolean
  readonly template: Template
  /** What the content of a question is followed by. */
  readonly ending: string
}

function writeMessage(writer: PartWriter, place: Place): void {
  const { message, ending } = place
  const role = roleOf(message)
  switch (role) {
    case 'assistant':
      return writeAnswer(writer, place)
    case 'user':
    case 'system':
      return writer.add('<|im_start|>', `${role}\n${printedMember(message, 'content')}${ending}`, '<|im_end|>', '\n')
    case 'tool':
      return writeResult(writer, place)
    default:
      return writer.add('<|im_start|>', `${role}\n${textMember(message, 'content')}`, '<|im_end|>', '\n')
  }
}

/** As in the template: a result at the front has no head. */
function writeResult(writer: PartWriter, { message, rest, index }: Place): void {
  if (index > 0 && roleOf(rest[index - 1]) !== 'tool') writer.add('<|im_start|>', 'user\n')
  writer.add('<tool_response>', `\n${printedMember(message, 'content')}\n`, '</tool_response>', '\n')
  if (roleOf(rest[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
}

function writeAnswer(writer: PartWriter, place: Place): void {
  const { message, isOld, template } = place
  const calls = messageCalls(message)
  const hasCalls = calls.length > 0
  writer.add('<|im_start|>', 'assistant\n')
  const said = saidIn(message, template, hasCalls)
  if (said === null) writer.add('<think>', '', '</think>')
  else {
    if (isOld) writeOld(writer, said, { hasCalls, trims: template.trimsOld })
    else writeSaid(writer, said)
    if (hasCalls) writer.text('\n')
  }
  for (const call of calls) writer.add('<tool_call>', taggedCall(call.name, mapArguments(call)), '</tool_call>', '\n')
  writer.add('<|im_end|>', '\n')
}

/** What a message thought and said. */
interface Said {
  /** The text between the tags that the template adds, null where the content has tags of its own. */
  readonly thought: string | null
  readonly text: string
}

/** Null next to calls for content that is neither a text nor empty; elsewhere it is shown as Python prints it. */
function saidIn(message: PyDict, { feed }: Template, hasCalls: boolean): Said | null {
  const content = message.get('content') ?? null
  const thought = message.get('reasoning_content')
  const isSaid = truthy(content)
  if (typeof thought === 'string' && strip(thought) !== '')
    return { thought: `\n${thought}${feed}`, text: feed + (isSaid ? str(content) : '') }
  if (isSaid && typeof content !== 'string') return hasCalls ? null : { thought: null, text: str(content) }
  const text = typeof content === 'string' ? content : ''
  return { thought: text.includes('<think>') || text.includes('</think>') ? null : '', text }
}

function writeSaid(writer: PartWriter, { thought, text }: Said): void {
  if (thought === null) return writer.text(strip(text))
  writer.add('<think>', thought, '</think>', rstrip(text))
}

function writeOld(
  writer: PartWriter,
  { thought, text }: Said,
  { hasCalls, trims }: { readonly hasCalls: boolean; readonly trims: boolean },
): void {
  const isClosed = text.includes('</think>')
  // As in the template: without calls, content with one of the two tags stays as it is.
  if (!hasCalls && thought === null && !(isClosed && text.includes('<think>'))) return writer.text(strip(text))
  const rest = isClosed ? text.slice(text.lastIndexOf('</think>') + '</think>'.length) : text
  const shown = thought === null && !isClosed ? rest.slice(0, rest.indexOf('<think>')) : rest
  const trimmed = hasCalls ? (trims ? strip(shown) : shown) : rstrip(shown)
  writer.add('<think>', '', '</think>', trimmed)
}
