import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { isList, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { fromChat } from './from-chat.ts'
import { fromOwn } from './from-own.ts'
import { renderMessages } from './render.ts'
import type { RenderOptions } from './render.ts'

/** The prompt of messages in the OpenAI shape, or of the format's own under the option `conversation`. */
export function prompt(given: Conversation): PromptOutcome {
  return prompting(() => {
    const { options } = given
    const own = options.get('conversation')
    const dropsThoughts = options.get('auto_drop_analysis') !== false
    if (isList(own)) return renderMessages(fromOwn(own), { mode: modeOf(options), dropsThoughts })
    const mode = truthy(options.get('add_generation_prompt') ?? true) ? 'completion' : 'conversation'
    return renderMessages(fromChat(given), { mode, dropsThoughts })
  })
}

function modeOf(options: PyDict): RenderOptions['mode'] {
  const mode = options.get('mode') ?? 'completion'
  if (mode === 'completion' || mode === 'conversation' || mode === 'training') return mode
  throw new Refusal('the mode is none of completion, conversation and training')
}
