import { Refusal } from '../../conversation/conversation.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { argumentsText, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { dayOf, twoDigits } from '../../conversation/today.ts'
import { str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { HarmonyMessage, Section, ShownFunction } from './message.ts'
import { CONSTRAIN, FUNCTIONS } from './tokens.ts'

/** A conversation in the OpenAI shape as messages of the format. */
export function fromChat(conversation: Conversation): readonly HarmonyMessage[] {
  const { messages, tools } = conversation
  const names = new Map<string, string>()
  const first = messages.findIndex((message) => INSTRUCTS.has(roleOf(message)))
  const functions = isList(tools) ? tools.map(functionOf) : []
  const said = messages[first] === undefined ? '' : textOf(messages[first])
  const rest = messages.filter((_, index) => index !== first)
  return [
    systemMessage(conversation),
    ...developerMessage(said, functions),
    ...rest.flatMap((message) => messagesOf(message, names)),
  ]
}

const INSTRUCTS: ReadonlySet<string> = new Set(['system', 'developer'])

function systemMessage({ options }: Conversation): HarmonyMessage {
  const day = dayOf(options)
  const date = day === null ? [] : [`Current date: ${day.year}-${twoDigits(day.month)}-${twoDigits(day.day)}`]
  const effort = options.get('reasoning_effort') ?? 'medium'
  if (typeof effort !== 'string' || !EFFORTS.has(effort))
    throw new Refusal('the effort is none of low, medium and high')
  const sections = [[IDENTITY, 'Knowledge cutoff: 2024-06', ...date].join('\n'), `Reasoning: ${effort}`]
  return {
    role: 'system',
    content: [[...sections.map((text): Section => ({ kind: 'text', text })), { kind: 'channels', text: CHANNELS }]],
  }
}

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high'])
const IDENTITY = 'You are ChatGPT, a large language model trained by OpenAI.'
const CHANNELS = '# Valid channels: analysis, commentary, final. Channel must be included for every message.'

function developerMessage(said: string, functions: readonly ShownFunction[]): readonly HarmonyMessage[] {
  const sections: Section[] = []
  if (said !== '') sections.push({ kind: 'text', text: '# Instructions' }, { kind: 'text', text: said })
  if (functions.length > 0)
    sections.push({
      kind: 'tools',
      namespaces: [{ name: 'functions', description: '', functions }],
      definesFunctions: true,
    })
  return sections.length === 0 ? [] : [{ role: 'developer', content: [sections] }]
}

function functionOf(tool: PyValue): ShownFunction {
  const inner = isDict(tool) ? (tool.get('function') ?? tool) : null
  const name = isDict(inner) ? inner.get('name') : null
  if (!isDict(inner) || typeof name !== 'string') throw new Refusal('a tool has no name')
  const [description, parameters] = [inner.get('description'), inner.get('parameters') ?? null]
  return {
    name,
    description: typeof description === 'string' ? description : '',
    ...(parameters === null ? {} : { parameters }),
  }
}

function messagesOf(message: PyDict, names: Map<string, string>): readonly HarmonyMessage[] {
  const role = roleOf(message)
  switch (role) {
    case 'system':
    case 'developer':
      return developerMessage(textOf(message), [])
    case 'user':
      return [{ role, content: [textOf(message)] }]
    case 'assistant':
      return assistantMessages(message, names)
    case 'tool':
    case 'function':
      return [
        {
          role: FUNCTIONS + toolName(message, names),
          recipient: 'assistant',
          channel: 'commentary',
          content: [textOf(message)],
        },
      ]
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

/** A thought, what was said, and the calls, in this order. */
function assistantMessages(message: PyDict, names: Map<string, string>): readonly HarmonyMessage[] {
  const role = 'assistant'
  const calls = messageCalls(message)
  const thought = THOUGHT_KEYS.map((key) => message.get(key)).find((each) => typeof each === 'string' && each !== '')
  const said = textOf(message)
  const hasText = said !== '' || (calls.length === 0 && typeof message.get('content') === 'string')
  const spoken = { role, channel: calls.length === 0 ? 'final' : 'commentary', content: [said] }
  return [
    ...(typeof thought === 'string' ? [{ role, channel: 'analysis', content: [thought] }] : []),
    ...(hasText ? [spoken] : []),
    ...calls.map(({ id, name, arguments: given }): HarmonyMessage => {
      if (id !== null) names.set(id, name)
      const content = [given === null ? '' : argumentsText(given)]
      return { role, recipient: FUNCTIONS + name, channel: 'commentary', type: `${CONSTRAIN}json`, content }
    }),
  ]
}

const THOUGHT_KEYS = ['reasoning_content', 'reasoning', 'thinking'] as const

function toolName(message: PyDict, names: ReadonlyMap<string, string>): string {
  const [id, given] = [message.get('tool_call_id'), message.get('name')]
  const name = (typeof id === 'string' ? names.get(id) : undefined) ?? given
  if (typeof name !== 'string' || name === '')
    throw new Refusal('a result belongs to no call, so that its tool has no name')
  return name
}

/** Texts of parts one after the other; nothing for null. */
function textOf(message: PyDict): string {
  const content = message.get('content') ?? null
  if (content === null) return ''
  return isList(content) ? content.map(partText).join('') : str(content)
}

function partText(part: PyValue): string {
  const text = isDict(part) ? part.get('text') : part
  if (typeof text !== 'string') throw new Refusal('a part of a message is no text')
  return text
}
