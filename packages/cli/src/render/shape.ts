import { dumps, isDict, type PyValue } from '@callspec/core'
import { escapeLoneSurrogates } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import type { PromptMessage, Rendering } from './prompt.ts'

/** How a prompt is written down. */
export type Shape = 'messages' | 'text' | 'chatml'

/**
 * A prompt as the text that is printed or compared.
 *
 * - `messages`: JSON with indent 2 and a line break at the end; a lone surrogate is written as an escape.
 * - `text`: the contents. Exact for one message; several are parted by an empty line.
 * - `chatml`: `<|im_start|>ROLE`, content, `<|im_end|>` for each, open for the assistant at the end (spec §14).
 *
 * A template that gave one text has that text in every shape.
 *
 * @throws UsageError for what `text` and `chatml` cannot carry: images, and lone surrogates
 */
export function shapeOf(rendering: Exclude<Rendering, { kind: 'rejected' }>, shape: Shape): string {
  if (rendering.kind === 'text') return encodable(rendering.text, 'The prompt')
  const { messages } = rendering
  if (shape === 'messages') {
    return `${escapeLoneSurrogates(
      dumps(
        messages.map(({ dump }) => dump),
        { indent: 2 },
      ),
    )}\n`
  }
  const contents = messages.map((message, index) => encodable(textOf(message, index, shape), `messages[${index}]`))
  return shape === 'text' ? contents.join('\n\n') : chatml(messages, contents)
}

/** As `renderChatML` writes it, but for any role and without its refusals: formats of users have roles of their own. */
function chatml(messages: readonly PromptMessage[], contents: readonly string[]): string {
  const turns = messages.map(({ role }, index) => `<|im_start|>${role}\n${contents[index] ?? ''}`)
  const open = messages.at(-1)?.role === 'assistant' ? [] : ['<|im_start|>assistant\n']
  return [...turns, ...open].join('<|im_end|>\n')
}

function textOf(message: PromptMessage, index: number, shape: Shape): string {
  if (typeof message.content === 'string') return message.content
  const items = message.content as readonly PyValue[]
  return items
    .map((item) => {
      const text = isDict(item) ? item.get('text') : undefined
      if (typeof text === 'string') return text
      throw new UsageError(
        `messages[${index}] has an item that is no text; --as ${shape} cannot show it. Use --as messages.`,
      )
    })
    .join('')
}

/** UTF-8 has no lone surrogates; writing one would silently change the prompt. */
function encodable(text: string, where: string): string {
  const at = text.search(/\p{Surrogate}/u)
  if (at === -1) return text
  const unit = text.charCodeAt(at).toString(16)
  throw new UsageError(
    `${where} of the prompt has a lone surrogate \\u${unit} at offset ${at}, which UTF-8 cannot carry. Use --as messages.`,
  )
}
