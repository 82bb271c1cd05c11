import { InputError } from '@callspec/core'
import type { FncallName, FormatName, Message, Profile, ToolDefinition, ToolSpec } from '@callspec/core/qwen-agent'
import { detectLanguage, dumpMessage, formats, isFncallName, readMessages, readTools } from '@callspec/core/qwen-agent'
import { readMessage } from '@callspec/core/reference'
import type { PyDict, PyValue } from '@callspec/python'
import { attempt, Raise } from '@callspec/python'
import type { ChatModel, PreparedChat } from '@callspec/qwen-agent'
import { createChatModel, prepareChat } from '@callspec/qwen-agent/reference'
import type { Options } from '../command.ts'
import type { ChosenFormat, WholeFormat } from '../formats.ts'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import { messageFault } from '../request/message-fault.ts'
import type { RenderSettings, WrittenRequest } from '../request/render-request.ts'
import { inFile, readConversation, readWrittenRequest, requestForTemplate } from '../request/render-request.ts'
import type { RequestFile } from '../request/request-file.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { PromptMessage, Rendering } from './user-format.ts'
import { renderWith } from './user-format.ts'

/**
 * The input that the reference's chat call of one version sends to its client: default system message, upload notes, language, calls and
 * results as text, tool section, continuation. Truncation only on request.
 *
 * A format without a `fncall_prompt_type` gets the first model call of its agent.
 *
 * @throws InputError for wrong data; an exception of the reference is a `rejected` rendering
 */
export function renderBuiltIn(format: FormatName, profile: Profile, request: WrittenRequest): Rendering {
  const messages = readMessageList(request.messages, profile)
  const tools = readTools(request.tools as readonly ToolSpec[])
  checkConversation(messages)
  checkRequestChoice(request.settings.functionChoice, tools)
  checkVersionSettings(request.settings, profile)
  const { settings, generateCfg } = request
  const outcome = attempt(() => preparedChat(format, profile, { messages, tools, settings, generateCfg }))
  if (outcome.kind === 'raised') return { kind: 'rejected', error: outcome.error }
  const { defaultSystem, allowSpecial } = settings
  const { serviceMessages, rawApi, generateCfg: sent } = outcome.value
  return {
    kind: 'messages',
    messages: serviceMessages.map((message) => promptMessage(message, profile)),
    chatml: { profile, allowSpecial, ...(defaultSystem === null ? {} : { defaultSystem }) },
    tools: rawApi ? (sent.get('tools') ?? null) : null,
  }
}

interface ReadRequest {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly settings: RenderSettings
  readonly generateCfg: PyDict
}

function preparedChat(format: FormatName, profile: Profile, request: ReadRequest): PreparedChat {
  const { settings } = request
  if (isFncallName(format)) {
    const { messages, tools: functions } = request
    return prepareChat(modelFor(format, profile, request), { messages, functions })
  }
  const { language, parallelCalls, functionChoice } = settings
  const messages = formats[format].render({
    messages: request.messages,
    tools: request.tools,
    language: language === 'auto' ? detectLanguage(request.messages) : language,
    parallelCalls,
    toolChoice: functionChoice === 'auto' || functionChoice === 'none' ? functionChoice : { name: functionChoice },
    profile,
  })
  return prepareChat(modelFor(null, profile, request), { messages })
}

/** A model for its configuration only; it is never called. */
function modelFor(promptType: FncallName | null, profile: Profile, request: ReadRequest): ChatModel {
  const { settings } = request
  const cfg: PyDict = new Map<string, PyValue>([
    ['model', settings.model],
    ['generate_cfg', generateCfgFor(promptType, request)],
  ])
  try {
    return createChatModel({
      profile,
      tokenizer: loadQwenTokenizer(),
      cfg,
      client: settings.client,
      multimodal: settings.multimodal,
      audio: settings.audio,
      codeMode: settings.codeMode,
      ...(settings.defaultSystem === null ? {} : { defaultSystemMessage: settings.defaultSystem }),
    })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    // The file has no `cfg` around it.
    throw new InputError(error.where.replace(/^cfg\./, ''), error.message.slice(error.where.length + 2))
  }
}

/** The parameters of the file, then the given settings. */
function generateCfgFor(promptType: FncallName | null, { settings, generateCfg }: ReadRequest): PyDict {
  const { maxInputTokens, rawApi } = settings
  return new Map<string, PyValue>([
    ['max_input_tokens', 0n],
    ...generateCfg,
    ...(maxInputTokens === null ? [] : [['max_input_tokens', BigInt(maxInputTokens)] as const]),
    ...(rawApi === null ? [] : [['use_raw_api', rawApi] as const]),
    ...(promptType === null ? [] : [['fncall_prompt_type', promptType] as const]),
    ...(settings.language === 'auto' || promptType === null ? [] : [['lang', settings.language] as const]),
    ...(settings.parallelCalls && promptType !== null ? [['parallel_function_calls', true] as const] : []),
    ...(settings.functionChoice === 'auto' || promptType === null
      ? []
      : [['function_choice', settings.functionChoice] as const]),
  ])
}

/** One by one: `readMessages` also accepts plain data, and would turn whole floats in `extra` into ints. */
function readMessageList(values: readonly PyValue[], profile: Profile): readonly Message[] {
  try {
    return values.map((value) => readMessage(value, profile))
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    const fault = messageFault(values)
    if (fault !== null) throw fault
    return readMessages(values, profile)
  }
}

/** Mistakes that the reference accepts, or refuses without a location. */
function checkConversation(messages: readonly Message[]): void {
  if (messages.length === 0) throw new InputError('messages', 'The list is empty. Give at least one message.')
  const first = messages.findIndex(({ role }) => role === 'system')
  const second = messages.findIndex(({ role }, index) => role === 'system' && index > first)
  if (first === -1 || second === -1) return
  throw new InputError(
    `messages[${second}].role`,
    `This is a second system message, after messages[${first}]. Make one of the two.`,
  )
}

function checkRequestChoice(choice: string, tools: readonly ToolDefinition[]): void {
  const names = tools.map((tool) => String(tool.get('name') ?? tool.get('name_for_model')))
  const known = ['auto', 'none', ...names]
  if (known.includes(choice)) return
  throw new InputError(
    'function_choice',
    `No tool is named "${choice}".${didYouMean(choice, known)} Known: ${known.join(', ')}.`,
  )
}

/** A version ignores settings that it does not have. */
function checkVersionSettings({ rawApi, allowSpecial }: RenderSettings, profile: Profile): void {
  const missing = (name: string): InputError =>
    new InputError(name, `qwen-agent@${profile.name} does not have this. Give --profile main.`)
  if (rawApi === true && !profile.rawApi) throw missing('raw_api')
  if (allowSpecial && !profile.chatmlAllowsSpecial) throw missing('allow_special')
}

function promptMessage(message: Message, profile: Profile): PromptMessage {
  const dump = dumpMessage(message, profile)
  return { role: message.role, content: dump.get('content') ?? '', dump }
}

/**
 * Renders a request file with a built-in format or one of the user.
 *
 * @throws UsageError with file and line for a wrong request, TemplateError if the user's format fails
 */
export async function renderFile(file: RequestFile, settings: Options, chosen: ChosenFormat): Promise<Rendering> {
  if (chosen.kind === 'format') return renderWhole(file, chosen)
  const request = readWrittenRequest(file, settings)
  if (chosen.kind === 'built-in') return inFile(file, () => renderBuiltIn(chosen.id, chosen.profile, request))
  const { format, path, profile } = chosen
  const { render } = format
  if (render === undefined) throw new UsageError(`${path}: format "${format.id}" has no "render"; it can only parse.`)
  return renderWith((plain) => render.call(format, plain), requestForTemplate(request, profile), `${path}: render`)
}

/** Members of the file that are not our settings are options of the format. */
function renderWhole(file: RequestFile, { format, version, path }: WholeFormat): Rendering {
  if (format.prompt === null) throw new UsageError(`${path}: the format has no prompt of its own; it can only read.`)
  const outcome = format.prompt(readConversation(file), version)
  return outcome.kind === 'prompted'
    ? { kind: 'parts', parts: outcome.parts }
    : { kind: 'rejected', error: { type: 'Refused', message: outcome.reason } }
}
