import { prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { asksForReply, mapArguments, messageCalls, roleOf, textMember } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { dumps, str, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { keywordArguments } from './write.ts'

/** The prompt of Olmo 3.1. */
export function promptOlmo3({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const shown = tools === undefined || tools === null ? null : `<functions>${dumps(tools)}</functions>`
    if (!messages.some((message) => roleOf(message) === 'system')) {
      const text = shown === null || tools?.length === 0 ? NO_TOOLS : SOME_TOOLS + shown
      writer.add('<|im_start|>', `system\n${OLMO}${text}`, '<|im_end|>', '\n')
    }
    for (const [index, message] of messages.entries())
      writeMessage(writer, message, { shown, isLast: index === messages.length - 1 })
    // The template begins the reply behind its last message only.
    if (messages.length > 0 && asksForReply(options)) writer.add('<|im_start|>', 'assistant\n')
    return writer.parts()
  })
}

const OLMO =
  'You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your model weights are available at https://huggingface.co/allenai. '
const NO_TOOLS = 'You do not currently have access to any functions. <functions></functions>'
const SOME_TOOLS =
  'You are provided with function signatures within <functions></functions> XML tags. You may call one or more functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML tags. Do not make assumptions about what values to plug into functions.'

interface Place {
  /** The tools as every system message shows them; null where none are given. */
  readonly shown: string | null
  readonly isLast: boolean
}

/** A message of a role that the template does not know is not shown. */
function writeMessage(writer: PartWriter, message: PyDict, { shown, isLast }: Place): void {
  const role = roleOf(message)
  switch (role) {
    case 'system': {
      const own = message.get('functions') ?? null
      const functions = shown ?? (own === null ? '' : ` <functions>${textMember(message, 'functions')}</functions>`)
      writer.add('<|im_start|>', `system\n${textMember(message, 'content')}${functions}`, '<|im_end|>', '\n')
      return
    }
    case 'assistant':
      writer.add('<|im_start|>', `assistant\n${saidIn(message)}`)
      // What ends the conversation ends the training text, too.
      if (isLast) writer.add('<|endoftext|>')
      else writer.add('<|im_end|>', '\n')
      return
    case 'user':
    case 'environment':
    case 'tool':
      writer.add('<|im_start|>', `${role === 'user' ? 'user' : 'environment'}\n${textMember(message, 'content')}`)
      writer.add('<|im_end|>', '\n')
      return
    default:
  }
}

function saidIn(message: PyDict): string {
  const content = message.get('content') ?? null
  const text = content === null ? '' : str(content)
  const written = message.get('function_calls') ?? null
  if (written !== null) return `${text}<function_calls>${textMember(message, 'function_calls')}</function_calls>`
  const calls = message.get('tool_calls') ?? null
  if (calls === null) return text
  if (!isList(calls)) throw new Refusal('tool_calls is no list')
  const lines = messageCalls(message).map((call) => {
    if (call.lacksArguments) throw new Refusal(`the call of ${call.name} has no arguments`)
    return `${call.name}(${keywordArguments(mapArguments(call), dumps)})`
  })
  return `${text}<function_calls>${lines.join('\n')}</function_calls>`
}
