import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { InputError, fromPlain, isDict, isList, truthy, Raise } from '@callspec/python'
import type { Content, ContentItem, FunctionCall, Message, Role } from './message.ts'
import type { Profile } from '../profile.ts'

/** What is wrong with one field of a message, in the words of the reference's validation. */
interface MessageFault {
  /** Such as `.content[2].image`; empty for the message itself. */
  readonly path: string
  readonly text: string
}

/** In the order of the reference's error text. */
const MESSAGE_ROLES: readonly string[] = ['user', 'assistant', 'system', 'function']

const NOT_TEXT = 'Input should be a valid string'
const NOT_A_LIST = 'Input should be a valid list'
const NOT_A_MAP = 'Input should be a valid dictionary'

/**
 * Reads one message as the reference's `Message(**value)` does (spec §1): unknown keys of the message are dropped, null
 * content becomes `""`, nothing else is coerced. Fields that are null are left out of the result.
 *
 * @throws Raise `TypeError` for a missing `role` or `content` and for unknown or missing keys of an item or a call,
 *   `ValidationError` for everything else; its text is the texts of all faults, joined by `; `
 */
export function readMessage(value: PyValue, profile: Profile): Message {
  const { message, faults } = examine(value, profile)
  if (message === null) throw new Raise('ValidationError', faults.map((fault) => fault.text).join('; '))
  return message
}

/**
 * Reads messages that a caller of callspec wrote, as `PyValue`s or as plain JavaScript data.
 *
 * @throws InputError at the first fault, naming index and field, such as `messages[2].role`
 */
export function readMessages(values: PlainValue, profile: Profile, where = 'messages'): readonly Message[] {
  const list = Array.isArray(values) ? values : fromPlain(values, where)
  if (!isList(list)) throw new InputError(where, 'This is not a list. Give a list of messages.')
  return list.map(
    (value: PlainValue, index) =>
      readTextMessage(value, profile) ?? readGivenMessage(value, profile, `${where}[${index}]`),
  )
}

/**
 * One message of `readMessages`.
 *
 * @throws InputError at the first fault, naming the field below `where`
 */
export function readGivenMessage(value: PlainValue, profile: Profile, where: string): Message {
  try {
    const { message, faults } = examine(fromPlain(value, where), profile)
    if (message !== null) return message
    // With a union, the last fault is the more exact one: "not a string" comes first even when a list was meant.
    const fault = faults.at(-1) ?? { path: '', text: 'unreadable' }
    throw new InputError(where + fault.path, `${fault.text}.`)
  } catch (error) {
    if (error instanceof Raise) throw new InputError(where, `${error.message}.`)
    throw error
  }
}

function examine(
  value: PyValue,
  profile: Profile,
): { readonly message: Message | null; readonly faults: readonly MessageFault[] } {
  if (!isDict(value)) throw new Raise('TypeError', 'Message() argument after ** must be a mapping')
  requireKeys(value, 'Message', ['role', 'content'])
  const faults: MessageFault[] = []
  const role = readRole(value.get('role'), faults)
  const content = readContent(value.get('content') ?? '', '.content', { profile, faults })
  const reasoning = readReasoning(value.get('reasoning_content') ?? null, profile, faults)
  const name = readOptionalText(value.get('name'), '.name', faults)
  const call = readFunctionCall(value.get('function_call') ?? null, faults)
  const extra = profile.hasExtra ? readExtra(value.get('extra') ?? null, faults) : null
  if (faults.length > 0) return { message: null, faults }
  const message: { -readonly [Key in keyof Message]: Message[Key] } = { role, content }
  if (reasoning !== null) message.reasoning_content = reasoning
  if (name !== null) message.name = name
  if (call !== null) message.function_call = call
  if (extra !== null) message.extra = extra
  return { message, faults }
}

function readRole(value: PyValue | undefined, faults: MessageFault[]): Role {
  if (typeof value !== 'string') {
    faults.push({ path: '.role', text: NOT_TEXT })
    return 'user'
  }
  if (!MESSAGE_ROLES.includes(value)) {
    faults.push({ path: '.role', text: `Value error, ${value} must be one of ${MESSAGE_ROLES.join(',')}` })
  }
  return value as Role
}

function readReasoning(value: PyValue, profile: Profile, faults: MessageFault[]): Content | null {
  if (profile.reasoningContent === 'absent') return null
  if (value !== null) return readContent(value, '.reasoning_content', { profile, faults })
  return profile.reasoningContent === 'null-becomes-empty' ? '' : null
}

function readContent(
  value: PyValue,
  path: string,
  { profile, faults }: { readonly profile: Profile; readonly faults: MessageFault[] },
): Content {
  if (typeof value === 'string') return value
  // As in the reference: a union is tried text first, so every fault of a list is preceded by "not a string".
  const inList: MessageFault[] = []
  const items = isList(value)
    ? value.map((item, index) => readContentItem(item, `${path}[${index}]`, { profile, faults: inList }))
    : []
  if (!isList(value)) inList.push({ path, text: NOT_A_LIST })
  if (inList.length > 0) faults.push({ path, text: NOT_TEXT }, ...inList)
  return items
}

function readContentItem(
  value: PyValue,
  path: string,
  { profile, faults }: { readonly profile: Profile; readonly faults: MessageFault[] },
): ContentItem {
  if (!isDict(value)) {
    faults.push({ path, text: `${NOT_A_MAP} or instance of ContentItem` })
    return {}
  }
  rejectUnknownKeys(value, 'ContentItem', profile.itemTypes)
  const before = faults.length
  const item: { [type: string]: PyValue } = {}
  let provided = 0
  for (const type of profile.itemTypes) {
    const member = value.get(type) ?? null
    if (member === null) continue
    if (typeof member !== 'string') faults.push(...memberFaults(member, { type, path: `${path}.${type}`, profile }))
    item[type] = member
    // As in the reference: an empty text counts, an empty image, file, audio or video does not.
    if (type === 'text' || truthy(member)) provided++
  }
  if (faults.length > before) return {}
  if (provided !== 1) faults.push({ path, text: `Value error, ${oneOf(profile.itemTypes)}` })
  return item
}

function memberFaults(
  member: PyValue,
  { type, path, profile }: { readonly type: string; readonly path: string; readonly profile: Profile },
): readonly MessageFault[] {
  if (typeof member === 'string') return []
  const faults = [{ path, text: NOT_TEXT }]
  if (type === 'audio' && profile.audioMaps) return isDict(member) ? [] : [...faults, { path, text: NOT_A_MAP }]
  if (type === 'video') return isList(member) ? [] : [...faults, { path, text: NOT_A_LIST }]
  return faults
}

/** `Exactly one of 'text', 'image', or 'file' must be provided.`, with the types of the profile. */
function oneOf(types: readonly string[]): string {
  const quoted = types.map((type) => `'${type}'`)
  return `Exactly one of ${quoted.slice(0, -1).join(', ')}, or ${quoted.at(-1) ?? ''} must be provided.`
}

function readFunctionCall(value: PyValue, faults: MessageFault[]): FunctionCall | null {
  if (value === null) return null
  if (!isDict(value)) {
    faults.push({ path: '.function_call', text: `${NOT_A_MAP} or instance of FunctionCall` })
    return null
  }
  rejectUnknownKeys(value, 'FunctionCall', ['name', 'arguments'])
  requireKeys(value, 'FunctionCall', ['name', 'arguments'])
  const [name, text] = ['name', 'arguments'].map((key) => {
    const member = value.get(key)
    if (typeof member === 'string') return member
    faults.push({ path: `.function_call.${key}`, text: NOT_TEXT })
    return ''
  })
  return { name: name ?? '', arguments: text ?? '' }
}

function readOptionalText(value: PyValue | undefined, path: string, faults: MessageFault[]): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  faults.push({ path, text: NOT_TEXT })
  return null
}

function readExtra(value: PyValue, faults: MessageFault[]): PyDict | null {
  if (value === null || isDict(value)) return value
  faults.push({ path: '.extra', text: NOT_A_MAP })
  return null
}

/** As in the reference: items and calls are made by constructors of their own, so a wrong key is a TypeError. */
function rejectUnknownKeys(value: PyDict, type: string, known: readonly string[]): void {
  for (const key of value.keys())
    if (!known.includes(key))
      throw new Raise('TypeError', `${type}.__init__() got an unexpected keyword argument '${key}'`)
}

function requireKeys(value: PyDict, type: string, keys: readonly string[]): void {
  if (keys.every((key) => value.has(key))) return
  const missing = keys.filter((key) => !value.has(key)).map((key) => `'${key}'`)
  const noun = missing.length === 1 ? 'argument' : 'arguments'
  throw new Raise(
    'TypeError',
    `${type}.__init__() missing ${missing.length} required positional ${noun}: ${missing.join(' and ')}`,
  )
}

/**
 * What `readMessage` gives for a plain object that is a message of texts, as nearly all are; null for anything else, and for a
 * message with a fault. It makes no map of the message.
 */
function readTextMessage(value: PlainValue, profile: Profile): Message | null {
  if (typeof value !== 'object' || value === null || value instanceof Map) return null
  const { role, content: given, reasoning_content, name, function_call, extra } = value as PlainMessage
  if (role !== 'user' && role !== 'assistant' && role !== 'function' && role !== 'system') return null
  const content = typeof given === 'string' ? given : textItems(given)
  if (content === null) return null
  const message: { -readonly [Key in keyof Message]: Message[Key] } = { role, content }
  if (isGiven(reasoning_content)) {
    if (typeof reasoning_content !== 'string' || profile.reasoningContent === 'absent') return null
    message.reasoning_content = reasoning_content
  } else if (profile.reasoningContent === 'null-becomes-empty') message.reasoning_content = ''
  if (isGiven(name)) {
    if (typeof name !== 'string') return null
    message.name = name
  }
  if (isGiven(function_call)) {
    const call = textCall(function_call)
    if (call === null) return null
    message.function_call = call
  }
  if (isGiven(extra)) {
    if (!profile.hasExtra || !isDict(extra)) return null
    message.extra = extra
  }
  return message
}

/** What a plain object may hold under the names of a message. */
type PlainMessage = { readonly [Key in keyof Message]?: unknown }

function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null
}

/** Copies, because the caller may change what is its own. */
function textItems(content: unknown): readonly ContentItem[] | null {
  if (!Array.isArray(content)) return null
  const items: ContentItem[] = []
  for (const item of content as readonly unknown[]) {
    if (typeof item !== 'object' || item === null || !('text' in item) || !hasOnlyText(item)) return null
    if (typeof item.text !== 'string') return null
    items.push({ text: item.text })
  }
  return items
}

function hasOnlyText(item: object): boolean {
  for (const key in item) if (key !== 'text') return false
  return true
}

function textCall(call: unknown): FunctionCall | null {
  if (typeof call !== 'object' || call === null || !('name' in call) || !('arguments' in call)) return null
  for (const key in call) if (key !== 'name' && key !== 'arguments') return null
  const { name, arguments: text } = call
  return typeof name === 'string' && typeof text === 'string' ? { name, arguments: text } : null
}
