import { Refusal } from '../../conversation/conversation.ts'
import { roleOf } from '../../conversation/message-view.ts'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { HarmonyMessage, Namespace, Section, ShownFunction } from './message.ts'

/** Messages in the shape of the format's own library. */
export function fromOwn(messages: readonly PyValue[]): readonly HarmonyMessage[] {
  return messages.map((message) => {
    if (!isDict(message)) throw new Refusal('a message of the conversation is no object')
    const role = roleOf(message)
    if (!ROLES.has(role)) throw new Refusal(`there is no role "${role}"`)
    const name = textIn(message, 'name')
    if (role === 'tool' && name === null) throw new Refusal('a message of a tool has no name')
    const content = message.get('content') ?? null
    return {
      ...(role === 'tool' ? { role: name ?? '' } : { role, ...given('name', name) }),
      ...given('recipient', textIn(message, 'recipient')),
      ...given('channel', textIn(message, 'channel')),
      ...given('type', textIn(message, 'content_type')),
      content: (isList(content) ? content : [content]).map((part) => contentOf(part, role)),
    }
  })
}

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer', 'tool'])

function given<Key extends string>(key: Key, text: string | null): { readonly [K in Key]?: string } {
  return text === null ? {} : ({ [key]: text } as { readonly [K in Key]?: string })
}

function contentOf(part: PyValue, role: string): string | readonly Section[] {
  if (typeof part === 'string') return part
  if (!isDict(part)) throw new Refusal('a part of a message is neither a text nor an object')
  const type = part.get('type')
  if (type === 'text') return textIn(part, 'text') ?? ''
  if (type === `${role}_content` && role === 'system') return systemSections(part)
  if (type === `${role}_content` && role === 'developer') return developerSections(part)
  throw new Refusal(`a message of the role "${role}" has a part that does not belong there`)
}

function systemSections(part: PyDict): readonly Section[] {
  const [identity, cutoff] = [textIn(part, 'model_identity'), textIn(part, 'knowledge_cutoff')]
  const [date, effort] = [textIn(part, 'conversation_start_date'), textIn(part, 'reasoning_effort')]
  const top = [identity, cutoff && `Knowledge cutoff: ${cutoff}`, date && `Current date: ${date}`]
  const lines = top.filter((each) => each !== null)
  const shown = effort === null ? null : EFFORTS.get(effort)
  if (shown === undefined) throw new Refusal('the effort is none of Low, Medium and High')
  return [
    ...(lines.length === 0 ? [] : [{ kind: 'text', text: lines.join('\n') } as const]),
    ...(shown === null ? [] : [{ kind: 'text', text: `Reasoning: ${shown}` } as const]),
    ...toolSections(part, false),
    ...channelSections(part.get('channel_config') ?? null),
  ]
}

const EFFORTS: ReadonlyMap<string, string> = new Map([
  ['Low', 'low'],
  ['Medium', 'medium'],
  ['High', 'high'],
])

function channelSections(config: PyValue): readonly Section[] {
  const channels = isDict(config) ? config.get('valid_channels') : null
  if (!isDict(config) || !isList(channels) || channels.length === 0) return []
  const required = config.get('channel_required') === true ? ' Channel must be included for every message.' : ''
  return [{ kind: 'channels', text: `# Valid channels: ${channels.join(', ')}.${required}` }]
}

function developerSections(part: PyDict): readonly Section[] {
  const said = textIn(part, 'instructions')
  const texts = said === null ? [] : ['# Instructions', said]
  return [...texts.map((text): Section => ({ kind: 'text', text })), ...toolSections(part, true)]
}

/** Namespaces in the order of their keys. */
function toolSections(part: PyDict, areOfRequest: boolean): readonly Section[] {
  const tools = part.get('tools') ?? null
  if (!isDict(tools) || tools.size === 0) return []
  const sorted = [...tools].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const namespaces = sorted.map(([key, space]) => namespaceOf(key, space))
  const definesFunctions = areOfRequest && sorted.some(([key], at) => key === 'functions' && hasAny(namespaces[at]))
  return [{ kind: 'tools', namespaces, definesFunctions }]
}

function hasAny(space: Namespace | undefined): boolean {
  return space !== undefined && space.functions.length > 0
}

function namespaceOf(key: string, space: PyValue): Namespace {
  if (!isDict(space)) throw new Refusal(`the namespace "${key}" is no object`)
  const functions = space.get('tools') ?? null
  return {
    name: textIn(space, 'name') ?? key,
    description: textIn(space, 'description') ?? '',
    functions: isList(functions) ? functions.map(functionOf) : [],
  }
}

function functionOf(value: PyValue): ShownFunction {
  const name = isDict(value) ? textIn(value, 'name') : null
  if (!isDict(value) || name === null) throw new Refusal('a tool has no name')
  const parameters = value.get('parameters') ?? null
  return {
    name,
    description: textIn(value, 'description') ?? '',
    ...(parameters === null ? {} : { parameters }),
  }
}

/** Null for a member that is missing or null. */
function textIn(dict: PyDict, key: string): string | null {
  const value = dict.get(key) ?? null
  if (value === null || typeof value === 'string') return value
  throw new Refusal(`the member "${key}" is no text`)
}
