import type { PromptMessage } from '../../format.ts'
import type { FunctionCall, Message, TextMessage, ToolDefinition } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import { pythonText } from '../../messages/python-text.ts'
import { removeFncallMessages } from '../../messages/remove-fncall-messages.ts'
import { textOf } from '../../messages/content-item.ts'
import { withContent } from '../../messages/with-content.ts'
import { actionText, buildReactPrompt, observationText } from './prompt.ts'

/** A conversation, and the tools as the prompt describes them. */
export interface ReactConversation {
  readonly messages: readonly Message[]
  readonly functions: readonly ToolDefinition[]
  readonly language: 'en' | 'zh'
  readonly profile: Profile
}

/**
 * The prompt for a whole conversation. Up to the last user message it is what the agent sends first; the calls and
 * results after it are folded into the growing Thought / Action / Observation text, as the agent grew it (spec §12).
 * Earlier calls become text of the user messages, as for a model without tools (spec §8.3).
 *
 * @throws Raise for a conversation that the reference fails on
 */
export function renderReact(request: ReactConversation): readonly PromptMessage[] {
  const { messages, functions, language, profile } = request
  const lastUser = messages.findLastIndex((message) => message.role === 'user')
  const opening = lastUser < 0 ? messages.length : lastUser + 1
  const prompt = buildReactPrompt({
    messages: messages.slice(0, opening),
    tools: functions,
    language,
    profile,
  })
  const grown = withSteps(prompt, foldSteps(messages.slice(opening)))
  const items = grown.map((message) => withItems(message, profile))
  return removeFncallMessages(items, { language, profile }).map((message) =>
    typeof message.content === 'string' ? message : withContent(message, textOf(message.content)),
  )
}

/**
 * Questions and results as the chat call hands them to the removal of calls: there an empty result is one empty item since
 * v0.0.24, so that `No result.` is not written. Other messages are passed on, or left out.
 */
function withItems(message: TextMessage, profile: Profile): Message {
  const { role, content } = message
  if (role !== 'user' && role !== 'function') return message
  return withContent(message, content === '' && profile.emptyTextBecomes === 'no-items' ? [] : [{ text: content }])
}

function withSteps(prompt: readonly TextMessage[], steps: string): readonly TextMessage[] {
  const last = prompt.at(-1)
  return last === undefined ? [] : [...prompt.slice(0, -1), withContent(last, last.content + steps)]
}

/**
 * The steps as text. Results belong to the calls in the order in which both stand; a thought without a call stands
 * before the next one; what is not answered yet stays at the end.
 */
function foldSteps(messages: readonly Message[]): string {
  const parts: string[] = []
  let thought = ''
  const open: OpenStep[] = []
  for (const message of messages) {
    if (message.role === 'function') {
      const step = open.shift()
      if (step !== undefined) parts.push(stepText(step, { isWaiting: true }))
      parts.push(observationText(resultText(message)))
      continue
    }
    thought += typeof message.content === 'string' ? message.content : textOf(message.content)
    if (message.function_call) {
      open.push({ thought, call: message.function_call })
      thought = ''
    }
  }
  // Only the first of several calls without a result finds the prompt waiting for its thought.
  for (const [index, step] of open.entries()) parts.push(stepText(step, { isWaiting: index === 0 }))
  return parts.join('') + thought
}

/** A call that has no result yet, with the thought before it. */
interface OpenStep {
  readonly thought: string
  readonly call: FunctionCall
}

function stepText({ thought, call }: OpenStep, waiting: { readonly isWaiting: boolean }): string {
  return actionText({ thought, action: call.name, actionInput: call.arguments }, waiting)
}

/** As in the reference: a result with images is inserted as Python text. */
function resultText({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.every((item) => typeof item.text === 'string') ? textOf(content) : pythonText(content)
}
