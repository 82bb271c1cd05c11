import { dumps, isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { joinParts } from '../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../conversation/conversation.ts'
import type { ReplyItem } from '../reply/item.ts'
import type { Format } from './format.ts'
import { promptFrame } from './prompt-frame.ts'

/**
 * The same format with a prompt that is not the maker's: the system text lists the tools, with an example of a call as the
 * format writes it, and earlier calls are written as the format writes them where the maker's prompt leaves them out.
 * Its template gets no tools, so that it cannot ask for another syntax. Formats without a prompt are given back as they are.
 */
export function toolsInSystem(format: Format): Format {
  const known = MADE.get(format)
  if (known !== undefined) return known
  const { prompt } = format
  const made = prompt === null ? format : { ...format, prompt: addedPrompt(format, prompt) }
  MADE.set(format, made)
  return made
}

const MADE = new WeakMap<Format, Format>()

function addedPrompt(format: Format, prompt: NonNullable<Format['prompt']>): NonNullable<Format['prompt']> {
  const withoutTools: NonNullable<Format['prompt']> = (conversation, version) => {
    const bare = prompt({ ...conversation, tools: undefined }, version)
    // Some templates ask for the length of the tools, and fail without them.
    return bare.kind === 'prompted' ? bare : prompt({ ...conversation, tools: [] }, version)
  }
  // Some templates show calls only where tools are offered.
  const writesCalls = promptFrame({ ...format, prompt: withoutTools })?.showsCalls === false
  return (conversation, version) => {
    const { tools } = conversation
    if (tools === null || tools === undefined || tools.length === 0) return prompt(conversation, version)
    const text = toolText(format, tools)
    const messages = writesCalls
      ? conversation.messages.map((message) => writtenOut(format, message))
      : conversation.messages
    const shown = (given: readonly PyDict[]): PromptOutcome =>
      withoutTools({ ...conversation, messages: given }, version)
    const told = shown(inSystem(messages, text))
    // A family may refuse a system text, or leave it out.
    return told.kind === 'prompted' && joinParts(told.parts).includes(text) ? told : shown(inQuestion(messages, text))
  }
}

/** The tools as JSON, one a line, between words that never differ, and a call as the format writes it. */
function toolText(format: Format, tools: Conversation['tools'] & object): string {
  const one = format.write([EXAMPLE])
  const together = format.traits.severalCalls
    ? `\nSeveral calls in one reply look like this:\n${format.write([EXAMPLE, EXAMPLE])}\n`
    : ''
  return [
    'These tools can be called. Each line describes one, its arguments as a JSON schema:',
    tools.map((tool) => dumps(tool, { ensureAscii: false })).join('\n'),
    `A call looks like this, here of a tool "tool_name" with the argument "argument":\n${one}\n${together}`,
    'Write calls exactly in this form. End the reply behind them: the results come in the next turn. Where no tool is needed, answer.',
  ].join('\n\n')
}

const EXAMPLE: ReplyItem = { kind: 'call', name: 'tool_name', arguments: '{"argument": "value"}', id: null }

function inSystem(messages: readonly PyDict[], text: string): readonly PyDict[] {
  const [first, ...rest] = messages
  const said = first?.get('role') === 'system' ? first.get('content') : undefined
  if (first === undefined || typeof said !== 'string') return [message('system', text), ...messages]
  return [new Map(first).set('content', `${said}\n\n${text}`), ...rest]
}

function inQuestion(messages: readonly PyDict[], text: string): readonly PyDict[] {
  const at = messages.findIndex((each) => each.get('role') === 'user' && typeof each.get('content') === 'string')
  return messages.map((each, place) =>
    place === at ? new Map(each).set('content', `${text}\n\n${String(each.get('content'))}`) : each,
  )
}

/** A message whose calls are part of its text. */
function writtenOut(format: Format, given: PyDict): PyDict {
  const calls = given.get('tool_calls')
  if (!Array.isArray(calls) || calls.length === 0) return given
  const said = given.get('content')
  const text: readonly ReplyItem[] = typeof said === 'string' && said !== '' ? [{ kind: 'text', text: said }] : []
  const copy = new Map(given)
  copy.delete('tool_calls')
  const [first, ...others] = (calls as readonly PyValue[]).flatMap((call) => callItem(call))
  if (first === undefined || format.traits.severalCalls)
    return copy.set('content', format.write([...text, ...(first === undefined ? [] : [first, ...others])]))
  // No reply of the format holds them all.
  return copy.set('content', [format.write([...text, first]), ...others.map((each) => format.write([each]))].join(''))
}

function callItem(call: PyValue): readonly ReplyItem[] {
  const called = isDict(call) ? (call.get('function') ?? null) : null
  if (!isDict(called)) return []
  const [name, args] = [called.get('name'), called.get('arguments') ?? null]
  if (typeof name !== 'string') return []
  const written = typeof args === 'string' ? args : dumps(args, { ensureAscii: false })
  return [{ kind: 'call', name, arguments: written, id: null }]
}

function message(role: string, content: string): PyDict {
  return new Map<string, PyValue>([
    ['role', role],
    ['content', content],
  ])
}
