import { TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from '@callspec/core/reference'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import { dumps, loads, rstrip, attempt, Raise } from '@callspec/python'
import type { PyValue } from '@callspec/python'

const IM_START = '<|im_start|>'
const IM_END = '<|im_end|>'

/** What `renderChatML` allows and assumes. */
export interface ChatMLOptions {
  readonly profile: Profile
  /** Whether all roles and calls are allowed. Default false. */
  readonly allowSpecial?: boolean
  /** Stands in for a missing system message. Default: the profile's. */
  readonly defaultSystem?: string
}

/**
 * The messages as one text that ends where the assistant goes on (spec §14, `build_text_completion_prompt`). Markers in
 * contents are not escaped.
 *
 * @throws Raise `IndexError` without messages besides a system message, `AssertionError` for contents that are not texts and, unless
 *   `allowSpecial`, for calls and other roles; `ValueError` for other roles in versions that know none
 */
export function renderChatML(messages: readonly Message[], options: ChatMLOptions): string {
  const [first, ...rest] = messages
  const system = first?.role === 'system' ? textOf(first) : defaultSystem(options)
  const turns = first?.role === 'system' ? rest : messages
  const last = turns.at(-1)
  if (last === undefined) throw new Raise('IndexError', 'list index out of range')
  const continued = last.role === 'assistant' ? turns : [...turns, ASSISTANT]
  const parts = continued.map((message) => part(message.role, contentOf(message, options)))
  const text = (system === null ? parts : [part('system', system), ...parts]).join('\n')
  return text.slice(0, text.length - IM_END.length)
}

const ASSISTANT: Message = { role: 'assistant', content: '' }

function defaultSystem({ profile, defaultSystem: given }: ChatMLOptions): string | null {
  const system = given ?? profile.defaultSystemMessage
  return system === '' && profile.chatmlSystem === 'when-present' ? null : system
}

function part(role: string, content: string): string {
  return `${IM_START}${role}\n${content}${IM_END}`
}

function contentOf(message: Message, { profile, allowSpecial = false }: ChatMLOptions): string {
  const text = textOf(message)
  const isTurn = message.role === 'user' || message.role === 'assistant'
  if (!profile.chatmlAllowsSpecial) {
    // As in the reference: a call is not looked at.
    if (!isTurn) throw new Raise('ValueError', '')
    return profile.chatmlStripsContents ? rstrip(withoutNewlines(text)) : text
  }
  const call = message.function_call
  if (!allowSpecial) {
    if (!isTurn || call) throw new Raise('AssertionError', '')
    return text
  }
  if (!call) return text
  return `${text}${text === '' ? '' : '\n'}${TOOL_CALL_OPEN}\n${callJson(call.name, call.arguments)}\n${TOOL_CALL_CLOSE}`
}

/** As in the reference: arguments that are not strict JSON are pasted in, quotes and all. */
function callJson(name: string, text: string): string {
  const value = attempt(() => loads(text))
  if (value.kind === 'raised') return `{"name": "${name}", "arguments": ${text}}`
  const call = new Map<string, PyValue>([
    ['name', name],
    ['arguments', value.value],
  ])
  return dumps(call, { indent: 2 })
}

function withoutNewlines(text: string): string {
  let start = 0
  while (text.charCodeAt(start) === 0x0a) start++
  return text.slice(start)
}

function textOf({ content }: Message): string {
  if (typeof content !== 'string') throw new Raise('AssertionError', '')
  return content
}
