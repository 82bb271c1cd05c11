import { Refusal } from '../../conversation/conversation.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { argumentsText, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { dayOf, twoDigits } from '../../conversation/today.ts'
import { toolOf } from '../../grammar/values.ts'
import { str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { EFFORTS } from './sections.ts'
import { CONSTRAIN, FUNCTIONS } from './tokens.ts'

/** A conversation in the OpenAI shape as messages in the shape of the format's own library. */
export function fromChat({ messages, tools, options }: Conversation): readonly PyDict[] {
  const names = new Map<string, string>()
  const first = messages.findIndex((message) => INSTRUCTS.has(roleOf(message)))
  const said = messages[first] === undefined ? '' : textOf(messages[first])
  const rest = messages.filter((_, index) => index !== first)
  return [
    systemMessage(options),
    ...developerMessage(said, isList(tools) ? tools : []),
    ...rest.flatMap((message) => messagesOf(message, names)),
  ]
}

const INSTRUCTS: ReadonlySet<string> = new Set(['system', 'developer'])

function dict(members: { readonly [key: string]: PyValue }): PyDict {
  return new Map(Object.entries(members))
}

function systemMessage(options: PyDict): PyDict {
  const day = dayOf(options)
  const given = options.get('reasoning_effort') ?? 'medium'
  const effort = EFFORTS.find((each) => each.toLowerCase() === given)
  if (effort === undefined) throw new Refusal('the effort is none of low, medium and high')
  const content = dict({
    type: 'system_content',
    model_identity: 'You are ChatGPT, a large language model trained by OpenAI.',
    knowledge_cutoff: '2024-06',
    conversation_start_date: day === null ? null : `${day.year}-${twoDigits(day.month)}-${twoDigits(day.day)}`,
    reasoning_effort: effort,
    channel_config: dict({ valid_channels: ['analysis', 'commentary', 'final'], channel_required: true }),
  })
  return dict({ role: 'system', content: [content] })
}

function developerMessage(said: string, tools: readonly PyValue[]): readonly PyDict[] {
  if (said === '' && tools.length === 0) return []
  const functions = dict({ functions: dict({ tools: tools.map(toolOf) }) })
  const content = dict({
    type: 'developer_content',
    instructions: said === '' ? null : said,
    tools: tools.length === 0 ? null : functions,
  })
  return [dict({ role: 'developer', content: [content] })]
}

function messagesOf(message: PyDict, names: Map<string, string>): readonly PyDict[] {
  const role = roleOf(message)
  switch (role) {
    case 'system':
    case 'developer':
      return developerMessage(textOf(message), [])
    case 'user':
      return [dict({ role, content: textOf(message) })]
    case 'assistant':
      return assistantMessages(message, names)
    case 'tool':
    case 'function': {
      const head = { role: 'tool', name: FUNCTIONS + toolName(message, names), channel: 'commentary' }
      return [dict({ ...head, recipient: 'assistant', content: textOf(message) })]
    }
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

/** A thought, what was said, and the calls, in this order. */
function assistantMessages(message: PyDict, names: Map<string, string>): readonly PyDict[] {
  const role = 'assistant'
  const calls = messageCalls(message)
  const thought = THOUGHT_KEYS.map((key) => message.get(key)).find((each) => typeof each === 'string' && each !== '')
  const said = textOf(message)
  const hasText = said !== '' || (calls.length === 0 && typeof message.get('content') === 'string')
  return [
    ...(thought === undefined ? [] : [dict({ role, channel: 'analysis', content: thought })]),
    ...(hasText ? [dict({ role, channel: calls.length === 0 ? 'final' : 'commentary', content: said })] : []),
    ...calls.map(({ id, name, arguments: given }) => {
      if (id !== null) names.set(id, name)
      const head = { role, recipient: FUNCTIONS + name, channel: 'commentary', content_type: `${CONSTRAIN}json` }
      return dict({ ...head, content: given === null ? '' : argumentsText(given) })
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
  if (!isList(content)) return str(content)
  const texts = content.map((part) => (isDict(part) ? part.get('text') : part))
  if (!texts.every((text) => typeof text === 'string')) throw new Refusal('a part of a message is no text')
  return texts.join('')
}
