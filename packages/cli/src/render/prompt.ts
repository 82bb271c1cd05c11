import type { PyValue } from '@callspec/python'
import { isDict, attempt, dumps } from '@callspec/python'
import type { PromptPart } from '@callspec/core'
import { joinParts } from '@callspec/core'
import type { Message, Role } from '@callspec/core/qwen-agent'
import { renderChatML } from '@callspec/qwen-agent/reference'
import { escapeLoneSurrogates } from '../output.ts'
import { EncodingError, TemplateError } from './user-format.ts'
import type { PromptMessage, Rejection, Rendering } from './user-format.ts'

export type Shape = 'messages' | 'text' | 'chatml' | 'parts'

export interface Shaped {
  readonly kind: 'shaped'
  readonly text: string
}

/**
 * The text of a prompt, to print or compare.
 *
 * - `messages`: JSON with indent 2 and a line break at the end; a lone surrogate is escaped. A list, or a map of `messages` and `tools` if
 *   tools are sent natively.
 * - `text`: the contents. Exact for one message; several are separated by an empty line.
 * - `parts`: JSON of tokens and texts; a text that spells tokens, of the prompt or of `specials`, has them as `spells`.
 * - `chatml`: `<|im_start|>ROLE`, content, `<|im_end|>` for each, open for the assistant at the end; a built-in format adds its default system
 *   message and the refusals of the profile (spec §14).
 *
 * A template that returned one text has that text in every shape.
 *
 * @throws TemplateError for content that `text` and `chatml` cannot carry: images, and lone surrogates (EncodingError)
 */
export function writePrompt(rendering: Rendering, shape: Shape, specials: readonly string[] = []): Shaped | Rejection {
  if (rendering.kind === 'rejected') return rendering
  if (rendering.kind === 'text') return shaped(encodable(rendering.text, 'The prompt', 'Let the template escape it'))
  if (rendering.kind === 'parts') return shapeOfParts(rendering.parts, { shape, specials })
  if (shape === 'parts') throw new TemplateError('These are messages, which have no parts. Use --as messages.')
  const { messages } = rendering
  if (shape === 'messages') return shaped(`${escapeLoneSurrogates(dumps(wireOf(rendering), { indent: 2 }))}\n`)
  const contents = messages.map((message, index) => {
    return encodable(messagePromptText(message, index, shape), `messages[${index}] of the prompt`, 'Use --as messages')
  })
  return shape === 'text' ? shaped(contents.join('\n\n')) : referenceChatML(rendering, contents)
}

function shapeOfParts(
  parts: readonly PromptPart[],
  { shape, specials }: { readonly shape: Shape; readonly specials: readonly string[] },
): Shaped {
  if (shape === 'text') return shaped(encodable(joinParts(parts), 'The prompt', 'Use --as parts'))
  if (shape !== 'parts') throw new TemplateError(`The format has a prompt of its own. Use --as text or --as parts.`)
  const tokens = [...new Set([...parts.flatMap(({ kind, text }) => (kind === 'token' ? [text] : [])), ...specials])]
  const listed = parts.map((part) => {
    const spelled = part.kind === 'text' ? tokens.filter((token) => part.text.includes(token)) : []
    return new Map<string, PyValue>([
      ['kind', part.kind],
      ['text', part.text],
      ...(spelled.length === 0 ? [] : ([['spells', spelled]] as const)),
    ])
  })
  return shaped(`${escapeLoneSurrogates(dumps(listed, { indent: 2 }))}\n`)
}

function shaped(text: string): Shaped {
  return { kind: 'shaped', text }
}

type Messages = Extract<Rendering, { kind: 'messages' }>

function wireOf({ messages, tools }: Messages): PyValue {
  const dumped = messages.map((message) => message.dump)
  if (tools === null) return dumped
  return new Map<string, PyValue>([
    ['messages', dumped],
    ['tools', tools],
  ])
}

function referenceChatML({ messages, chatml: options }: Messages, contents: readonly string[]): Shaped | Rejection {
  if (options === null) return shaped(plainChatML(messages, contents))
  const texts = messages.map(({ role, dump }, index) => {
    return { role: role as Role, content: contents[index] ?? '', ...functionCallIn(dump) }
  })
  const outcome = attempt(() => renderChatML(texts, options))
  return outcome.kind === 'raised' ? { kind: 'rejected', error: outcome.error } : shaped(outcome.value)
}

function functionCallIn(dump: PromptMessage['dump']): Pick<Message, 'function_call'> {
  const call = dump.get('function_call')
  if (!isDict(call)) return {}
  return { function_call: { name: String(call.get('name')), arguments: String(call.get('arguments')) } }
}

/** Like `renderChatML`, but for any role and without its refusals: users' formats have their own roles. */
function plainChatML(messages: readonly PromptMessage[], contents: readonly string[]): string {
  const turns = messages.map(({ role }, index) => `<|im_start|>${role}\n${contents[index] ?? ''}`)
  const open = messages.at(-1)?.role === 'assistant' ? [] : ['<|im_start|>assistant\n']
  return [...turns, ...open].join('<|im_end|>\n')
}

function messagePromptText(message: PromptMessage, index: number, shape: Shape): string {
  if (typeof message.content === 'string') return message.content
  const items = message.content as readonly PyValue[]
  return items
    .map((item) => {
      const text = isDict(item) ? item.get('text') : undefined
      if (typeof text === 'string') return text
      throw new TemplateError(
        `messages[${index}] has an item that is no text; --as ${shape} cannot show it. Use --as messages.`,
      )
    })
    .join('')
}

/** UTF-8 has no lone surrogates; writing one would change the prompt silently. */
function encodable(text: string, where: string, remedy: string): string {
  const at = text.search(/\p{Surrogate}/u)
  if (at === -1) return text
  const unit = text.charCodeAt(at).toString(16)
  throw new EncodingError(
    `${where} has a lone surrogate \\u${unit} at offset ${at}, which UTF-8 cannot carry. ${remedy}.`,
  )
}
