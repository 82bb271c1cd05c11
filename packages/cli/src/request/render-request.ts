import { hasChinese, InputError, isDict, isList, type PyDict, type PyValue } from '@callspec/core'
import { dumps } from '@callspec/core/reference'
import type { Options } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import type { RequestFile } from './request-file.ts'

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
  /** 0: no truncation. */
  readonly maxInputTokens: number
}

/** A request as it was written: any messages, any tools. */
export interface WrittenRequest {
  readonly messages: readonly PyValue[]
  readonly tools: readonly PyValue[]
  readonly settings: RenderSettings
}

/** Reads data and settings of a request. @throws UsageError with file and line for members of the wrong kind */
export function readWrittenRequest(file: RequestFile, settings: Options): WrittenRequest {
  const messages = listMember(file, 'messages')
  if (messages === null) {
    throw new UsageError(
      `${file.name}: there is no "messages". Give a list of messages: [{role: 'user', content: '…'}].`,
    )
  }
  return { messages, tools: listMember(file, 'tools') ?? [], settings: readRenderSettings(settings) }
}

/** Fills in the defaults. */
export function readRenderSettings(settings: Options): RenderSettings {
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
    maxInputTokens: settings.integer('max-input-tokens', { min: 0 }) ?? 0,
  }
}

/**
 * The request as it goes to a template of the user, without loss: messages and tools as written, and the settings
 * under the names of `RenderRequest`.
 */
export function requestForTemplate(request: WrittenRequest, profile: string | null): PyDict {
  const { functionChoice, language, parallelCalls, codeMode } = request.settings
  const isName = functionChoice !== 'auto' && functionChoice !== 'none'
  return new Map<string, PyValue>([
    ['messages', request.messages],
    ['tools', request.tools],
    ['language', language === 'auto' ? languageOf(request.messages) : language],
    ['parallelCalls', parallelCalls],
    ['toolChoice', isName ? new Map([['name', functionChoice]]) : functionChoice],
    ['codeMode', codeMode],
    ...(profile === null ? [] : [['profile', profile] as const]),
  ])
}

/** Chinese when a system or user message has a Chinese character, as the reference decides it (spec §2.7). */
function languageOf(messages: readonly PyValue[]): 'en' | 'zh' {
  const isChinese = messages.some((message) => {
    if (!isDict(message) || !['system', 'user'].includes(String(message.get('role')))) return false
    return hasChinese(dumps(message.get('content') ?? null))
  })
  return isChinese ? 'zh' : 'en'
}

function listMember(file: RequestFile, name: string): readonly PyValue[] | null {
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
