import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { asksForReply, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The prompt of LFM2. */
export const promptLfm2 = (conversation: Conversation): PromptOutcome => write(conversation, LFM2)

/** The prompt of LFM2.5: without the tokens around tools and results, and without thoughts of earlier turns. */
export const promptLfm25 = (conversation: Conversation): PromptOutcome => write(conversation, LFM25)

/** Where the two templates differ. */
interface Version {
  readonly tools: { readonly open: string; readonly close: string }
  readonly result: { readonly open: string; readonly close: string }
  readonly dropsThoughts: boolean
}

const NOTHING = { open: '', close: '' } as const
const LFM2: Version = {
  tools: { open: '<|tool_list_start|>', close: '<|tool_list_end|>' },
  result: { open: '<|tool_response_start|>', close: '<|tool_response_end|>' },
  dropsThoughts: false,
}
const LFM25: Version = { tools: NOTHING, result: NOTHING, dropsThoughts: true }

/** Neither template looks at `tool_calls`: a call of the history stands in the content, or nowhere. */
function write({ messages, tools, options }: Conversation, version: Version): PromptOutcome {
  return prompting(() => {
    const [first] = messages
    if (first === undefined) throw new Refusal('there are no messages')
    const writer = partWriter()
    writer.add('<|startoftext|>')
    const isSystem = roleOf(first) === 'system'
    writeSystem(writer, { message: isSystem ? first : null, tools: tools ?? [], version })
    const rest = isSystem ? messages.slice(1) : messages
    const last = rest.findLastIndex((message) => roleOf(message) === 'assistant')
    const keepsThoughts = !version.dropsThoughts || truthy(options.get('keep_past_thinking'))
    for (const [index, message] of rest.entries()) {
      const role = roleOf(message)
      const text = contentOf(message)
      const isPast = role === 'assistant' && index !== last && !keepsThoughts
      writer.add('<|im_start|>', `${role}\n`)
      if (role === 'tool') writer.add(version.result.open, text, version.result.close)
      else writer.text(isPast ? withoutThought(text) : text)
      writer.add('<|im_end|>', '\n')
    }
    if (asksForReply(options)) writer.add('<|im_start|>', 'assistant\n')
    return writer.parts()
  })
}

interface System {
  readonly message: PyDict | null
  readonly tools: readonly PyValue[]
  readonly version: Version
}

/** The turn is left out where there is nothing to say in it. */
function writeSystem(writer: PartWriter, { message, tools, version }: System): void {
  const given = message?.get('content') ?? null
  const isNothing = given === null && tools.length === 0
  if (message !== null && typeof given !== 'string' && !isNothing)
    throw new Refusal('the content of the system message is no text')
  const text = typeof given === 'string' ? given : ''
  if (text === '' && tools.length === 0) return
  writer.add('<|im_start|>', `system\n${text}`)
  if (tools.length > 0) {
    writer.text(`${text === '' ? '' : '\n'}List of tools: `)
    const shown = tools.map((tool) => (typeof tool === 'string' ? tool : dumps(tool)))
    writer.add(version.tools.open, `[${shown.join(', ')}]`, version.tools.close)
  }
  writer.add('<|im_end|>', '\n')
}

/** What is no text is shown as JSON, null too. */
function contentOf(message: PyDict): string {
  const content = message.get('content')
  if (content === undefined) throw new Refusal(`a message of role ${roleOf(message)} has no content`)
  return typeof content === 'string' ? content : dumps(content)
}

/** What follows the last thought. */
function withoutThought(text: string): string {
  const close = text.lastIndexOf('</think>')
  return close < 0 ? text : strip(text.slice(close + '</think>'.length))
}
