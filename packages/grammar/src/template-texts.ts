import { type Format, callsOf, isStrict } from '@callspec/core'
import type { Template } from '@callspec/template'
import type { GrammarTool, SampleReply } from './sample-calls.ts'

/** Writes a reply as a model is trained to; null where it cannot be written. */
export type WriteReply = (reply: SampleReply) => string | null

/** A template that writes replies. `prompt` is what precedes a reply; null where the template refuses it. */
export type TemplateWriter = { readonly write: WriteReply; readonly prompt: string | null }

/** What rendering needs besides the template. */
export type TemplateUse = {
  readonly format: Format
  readonly tools: readonly GrammarTool[]
  /** Further variables, such as special tokens and `enable_thinking`. */
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Writes replies as a chat template writes them into its history: the difference between the prompt before the turn and the conversation
 * with it. Null where the template refuses, or where its prompt opens something that the history does not repeat.
 */
export function templateWriter(template: Template, { format, tools, variables }: TemplateUse): TemplateWriter {
  const render = (messages: readonly unknown[], isPrompt: boolean): string | null => {
    const given = { ...variables, messages, tools: tools.map(wrapped), add_generation_prompt: isPrompt }
    const rendering = template.render(JSON.stringify(given))
    return rendering.kind === 'rendered' ? rendering.text : null
  }
  const question = { role: 'user', content: 'Please.' }
  const prompt = render([question], true)
  const write: WriteReply = (reply) => {
    const whole = prompt === null ? null : render([question, messageOf(reply)], false)
    if (prompt === null || whole === null) return null
    const start = replyStart(prompt, whole, format)
    return start === null ? null : withoutEnd(whole.slice(start), format)
  }
  return { write, prompt }
}

function wrapped(tool: GrammarTool): object {
  return { type: 'function', function: { name: tool.name, description: '', parameters: tool.parameters } }
}

function messageOf({ text, thought, calls }: SampleReply): object {
  return {
    role: 'assistant',
    content: text ?? '',
    ...(thought === null ? {} : { reasoning_content: thought, reasoning: thought, thinking: thought }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call, index) => ({ id: `call_${index}`, type: 'function', function: call })) }),
  }
}

// Where the reply begins in the conversation. A closed thought of the prompt may precede any reply, so that the history need not repeat it;
// a thought that only the prompt opens makes the reply another text than the model writes.
function replyStart(prompt: string, whole: string, { markers }: Format): number | null {
  if (whole.startsWith(prompt)) return prompt.length
  const trimmed = prompt.trimEnd()
  if (whole.startsWith(trimmed)) return trimmed.length
  const open = markers.thought === null ? -1 : prompt.lastIndexOf(markers.thought.open.trim())
  const isClosed = open !== -1 && prompt.includes(markers.thought?.close.trim() ?? '', open)
  return isClosed && whole.startsWith(prompt.slice(0, open)) ? open : null
}

/** A text up to the last token that ends a turn: what follows it belongs to the next turn. */
function withoutEnd(text: string, { stops }: Format): string {
  const end = Math.max(-1, ...stops.end.map((token) => text.lastIndexOf(token)))
  return end === -1 ? text : text.slice(0, end)
}

/**
 * Writes replies with the writer of a format. Arguments are spelled as Python's `json.dumps` spells them. Calls have no id where the
 * format writes one of its own.
 */
export function formatWriter(format: Format, dumps: (value: unknown) => string): WriteReply {
  const write = (reply: SampleReply, withIds: boolean): string =>
    format.write([
      ...(reply.thought === null ? [] : [{ kind: 'reasoning' as const, text: reply.thought }]),
      ...(reply.text === null ? [] : [{ kind: 'text' as const, text: reply.text }]),
      ...reply.calls.map((call, index) => ({
        kind: 'call' as const,
        name: call.name,
        arguments: dumps(call.arguments),
        id: withIds ? `call${String(index).padStart(5, '0')}` : null,
      })),
    ])
  const probe = { id: '', thought: null, text: null, calls: [{ name: 'probe', arguments: {} }] }
  const needsIds = format.traits.ids && !isReadBack(format, write(probe, false))
  const canThink = format.traits.reasoning && format.markers.thought !== null
  return (reply) => {
    if (reply.calls.length > 1 && !format.traits.severalCalls) return null
    if (reply.thought !== null && !canThink) return null
    const written = write(reply, needsIds)
    return reply.thought !== null && !written.includes(reply.thought) ? null : written
  }
}

function isReadBack(format: Format, text: string): boolean {
  const { items } = format.read(text, { tools: [{ name: 'probe', parameters: { type: 'object', properties: {} } }] })
  return isStrict(items) && callsOf(items).length === 1
}
