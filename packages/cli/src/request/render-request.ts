import type { Conversation } from '@callspec/core'
import { InputError } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, hasChinese, isDict, isList } from '@callspec/python'
import type { Options } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import type { RequestFile } from './request-file.ts'
import { GENERATE_CFG } from './settings.ts'

/** The settings that change a prompt, with their defaults filled in. */
export interface RenderSettings {
  readonly language: 'auto' | 'en' | 'zh'
  readonly parallelCalls: boolean
  /** `auto`, `none` or the name of a tool. */
  readonly functionChoice: string
  readonly codeMode: boolean
  readonly multimodal: boolean
  readonly audio: boolean
  readonly model: string
  /** null: that of the profile. */
  readonly defaultSystem: string | null
  /** 0: no truncation. null: that of `generate_cfg`, else none. */
  readonly maxInputTokens: number | null
  readonly client: 'openai' | 'dashscope'
  /** null: what `generate_cfg` says. */
  readonly rawApi: boolean | null
  readonly allowSpecial: boolean
}

/** A request as written, not checked. */
export interface WrittenRequest {
  readonly messages: readonly PyValue[]
  readonly tools: readonly PyValue[]
  readonly settings: RenderSettings
  /** Further settings of the chat call; `settings` win. */
  readonly generateCfg: PyDict
}

/** Reads data and settings of a request. @throws UsageError with file and line for members of the wrong kind */
export function readWrittenRequest(file: RequestFile, settings: Options): WrittenRequest {
  const messages = requestList(file, 'messages')
  if (messages === null) {
    throw new UsageError(
      `${file.name}: there is no "messages". Give a list of messages: [{role: 'user', content: '…'}].`,
    )
  }
  return {
    messages,
    tools: requestList(file, 'tools') ?? [],
    settings: readRenderSettings(settings),
    generateCfg: readGenerateCfg(file),
  }
}

function readRenderSettings(settings: Options): RenderSettings {
  const language = settings.text('lang')
  return {
    language: language === 'en' || language === 'zh' ? language : 'auto',
    parallelCalls: settings.flag('parallel'),
    functionChoice: settings.text('function-choice') ?? 'auto',
    codeMode: settings.flag('code-mode'),
    multimodal: settings.flag('multimodal'),
    audio: settings.flag('audio'),
    model: settings.text('model') ?? '',
    defaultSystem: settings.text('default-system'),
    maxInputTokens: settings.integer('max-input-tokens', { min: 0 }),
    client: settings.text('client') === 'dashscope' ? 'dashscope' : 'openai',
    rawApi: settings.choice('raw-api'),
    allowSpecial: settings.flag('allow-special'),
  }
}

/**
 * The request for a user's template: messages and tools as written, settings under the names of `RenderRequest`.
 */
export function requestForTemplate(request: WrittenRequest, profile: string | null): PyDict {
  const { functionChoice, language, parallelCalls, codeMode } = request.settings
  const isName = functionChoice !== 'auto' && functionChoice !== 'none'
  return new Map<string, PyValue>([
    ['messages', request.messages],
    ['tools', request.tools],
    ['language', language === 'auto' ? messageLanguage(request.messages) : language],
    ['parallelCalls', parallelCalls],
    ['toolChoice', isName ? new Map([['name', functionChoice]]) : functionChoice],
    ['codeMode', codeMode],
    ...(profile === null ? [] : [['profile', profile] as const]),
  ])
}

/** Chinese when a system or user message has a Chinese character, as the reference decides it (spec §2.7). */
function messageLanguage(messages: readonly PyValue[]): 'en' | 'zh' {
  const isChinese = messages.some((message) => {
    if (!isDict(message) || !['system', 'user'].includes(String(message.get('role')))) return false
    return hasChinese(dumps(message.get('content') ?? null))
  })
  return isChinese ? 'zh' : 'en'
}

function readGenerateCfg(file: RequestFile): PyDict {
  const member = file.members.get(GENERATE_CFG)
  const value = member?.value ?? null
  if (value === null) return new Map()
  if (isDict(value)) return value
  throw new UsageError(`${file.place(member?.key ?? '')}: "${member?.key ?? ''}" must be a map.`)
}

function requestList(file: RequestFile, name: string): readonly PyValue[] | null {
  const member = file.members.get(name)
  if (member === undefined || member.value === null) return null
  if (isList(member.value)) return member.value
  throw new UsageError(`${file.place(member.key)}: "${member.key}" must be a list.`)
}

/** Runs `work`; an InputError in it becomes a UsageError that names file and line. */
export async function inFile<T>(file: RequestFile, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new UsageError(`${file.place(error.where)}: ${error.message}`)
  }
}

/** Members of a request file that are not options of the format. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'format',
  'profile',
  'as',
  'output',
  'about',
  'note',
  '$schema',
])

/**
 * The conversation of a request file, for a format with its own prompt. Other members are options of the format, as written;
 * `add_generation_prompt` is true by default.
 *
 * @throws UsageError with file and line for messages or tools of the wrong kind
 */
export function readConversation(file: RequestFile): Conversation {
  const given = file.members.get('messages')?.value
  // Some formats take `conversation` in their own shape instead.
  const messages = given ?? (file.members.has('conversation') ? [] : given)
  if (!isList(messages)) throw wrongMember(file, 'messages', 'a list of messages')
  const bad = messages.findIndex((message) => !isDict(message))
  if (bad >= 0) throw wrongMember(file, `messages[${bad}]`, 'an object with "role" and "content"')
  const tools = file.members.get('tools')?.value
  if (tools !== undefined && tools !== null && !isList(tools)) throw wrongMember(file, 'tools', 'a list of tools')
  const own = [...file.members]
    .filter(([name]) => !OWN_MEMBERS.has(name))
    .map(([, { key, value }]) => [key, value] as const)
  const options = new Map<string, PyValue>([['add_generation_prompt', true], ...own])
  return { messages: messages.filter((message): message is PyDict => isDict(message)), tools, options }
}

function wrongMember(file: RequestFile, where: string, wanted: string): UsageError {
  return new UsageError(`${file.place(where)}: "${where}" is not ${wanted}.`)
}
