import { InputError } from '@callspec/core'
import type { FunctionCall, Message, ParseOptions, PromptFormat, PromptMessage } from '@callspec/core/qwen-agent'

/** What a reply says, and what the user had said before it. */
export interface Written {
  /** Text before the calls. */
  readonly prose: string
  readonly calls: readonly WrittenCall[]
  /** Default: a short question. */
  readonly user?: string
}

/** A call to write. Formats that write no ids leave its own out. */
export interface WrittenCall extends FunctionCall {
  readonly id?: string
}

/** Gives the reply that the format's own renderer shows in a history. */
export type Writer = (written: Written) => string

const USER = 'go'
const CALLING: Message = { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{}' } }

/**
 * A writer of replies, made of the format's renderer. Where a reply is a message of its own, that message is the reply;
 * else it is what the last message has more than without the reply. Which of both a format does is looked at once, with a
 * harmless question: a user's text that is taken for a part of the reply is to be seen, not to be cut off.
 *
 * @throws InputError where the renderer throws or shows nothing of a reply
 */
export function writerOf(format: PromptFormat, options: ParseOptions = {}): Writer {
  const rendered = (messages: readonly Message[]): readonly PromptMessage[] =>
    format.render({
      messages,
      tools: [TOOL],
      language: 'en',
      parallelCalls: options.parallelCalls ?? false,
      toolChoice: 'auto',
      codeMode: options.codeMode ?? false,
      ...(options.profile === undefined ? {} : { profile: options.profile }),
    })
  const question: Message = { role: 'user', content: USER }
  const isApart = rendered([question, CALLING]).length > rendered([question]).length
  return ({ prose, calls, user = USER }) => {
    const asked: Message = { role: 'user', content: user }
    const answered = rendered([asked, ...replyMessages(prose, calls)])
    return isApart ? textOf(answered.at(-1)) : newIn(answered, rendered([asked]), format.id)
  }
}

/** Without a tool some formats tell calls in other words. */
const TOOL = {
  name: 'clock',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: [] },
}

function replyMessages(prose: string, calls: readonly WrittenCall[]): readonly Message[] {
  if (calls.length === 0) return [{ role: 'assistant', content: prose }]
  return calls.map(({ name, arguments: text }, index) => ({
    role: 'assistant',
    content: index === 0 ? prose : '',
    function_call: { name, arguments: text },
  }))
}

function newIn(answered: readonly PromptMessage[], asked: readonly PromptMessage[], id: string): string {
  const last = textOf(answered.at(-1))
  const before = textOf(asked.at(-1))
  if (last.startsWith(before) && last.length > before.length) return last.slice(before.length)
  throw new InputError('format', `What ${id} renders does not show an answered call, so no reply can be written in it.`)
}

function textOf(message: PromptMessage | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((item) => item.text ?? '').join('')
}
