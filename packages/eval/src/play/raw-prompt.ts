import { renderChatML } from '@callspec/qwen-agent/reference'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { SentPrompt } from '../trace/trace.ts'

type Messages = readonly Readonly<Record<string, unknown>>[]

/** What is new in a prompt of messages against the last one of the same episode (`[]` for none). */
export function sentPrompt(last: Messages, messages: Messages): SentPrompt {
  const same = messages.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(last[index]))
  const kept = same < 0 ? messages.length : same
  return { kept, added: messages.slice(kept) }
}

/** The same for a prompt that is one text (`''` for none before). */
export function sentText(last: string, text: string): SentPrompt {
  let kept = 0
  while (kept < text.length && text.charCodeAt(kept) === last.charCodeAt(kept)) kept += 1
  return { kept, added: text.slice(kept) }
}

/** What a raw prompt is made for. */
export interface RawPromptOptions {
  readonly profile: Profile
  /** See `Host.ownTextBegins`. */
  readonly ownTextBegins: string | null
}

/**
 * The prompts of one episode as ChatML texts, byte for byte as the reference renders them, up to where the model goes on.
 * Where a format lets the model go on with its own text, as ReAct does, that text is in the assistant's turn: the
 * reference writes it after the question, because a chat has no other place for it.
 *
 * @throws Raise for messages that ChatML has no form for
 */
export function createRawPrompts({
  profile,
  ownTextBegins,
}: RawPromptOptions): (messages: readonly Message[]) => string {
  let question: string | null = null
  const ofModel = (text: string): Split => {
    if (ownTextBegins === null) return { asked: text, own: null }
    question ??= text.endsWith(ownTextBegins) ? text.slice(0, text.length - ownTextBegins.length) : null
    if (question === null || !text.startsWith(question)) return { asked: text, own: null }
    return { asked: question, own: text.slice(question.length) }
  }
  return (messages) => {
    const last = messages.at(-1)
    if (last?.role !== 'user' || typeof last.content !== 'string') return renderChatML(messages, { profile })
    const { asked, own } = ofModel(last.content)
    const answer: readonly Message[] = own === null ? [] : [{ role: 'assistant', content: own }]
    return renderChatML([...messages.slice(0, -1), { ...last, content: asked }, ...answer], { profile })
  }
}

interface Split {
  readonly asked: string
  /** What the model has written already, and the host in between. */
  readonly own: string | null
}
