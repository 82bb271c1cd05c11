import type { Format, ReadOptions, Reply, ReplyItem } from '@callspec/core'
import { InputError, joinParts } from '@callspec/core'
import type {
  AssistantMessage,
  QwenAgentFormat,
  FormatName,
  Message,
  ParseOptions,
  ParseOutcome,
  PromptMessage,
  RenderRequest,
  ToolSpec,
} from '@callspec/core/qwen-agent'
import { dumpMessages, formats, isFncallName } from '@callspec/core/qwen-agent'
import { postprocessStopWords, readMessage } from '@callspec/core/reference'
import type { PyDict, PyValue } from '@callspec/python'
import { Raise, isDict, isList } from '@callspec/python'
import type { AgentConfig } from '@callspec/qwen-agent'
import { fnCallAgent, reactAgent } from '@callspec/qwen-agent'
import { createChatModel, renderChatML } from '@callspec/qwen-agent/reference'
import type { RunRecord } from './agent-run.ts'
import { runAgent } from './agent-run.ts'
import type { Operation, OperationContext } from './operation.ts'
import {
  answer,
  dicts,
  flag,
  language,
  list,
  optionalInteger,
  optionalList,
  optionalText,
  text,
  texts,
  toolChoice,
} from './operation.ts'
import { scriptedModel, scriptedTools } from './scripted.ts'

/** What an outsider implements first; `docs/protocol.md` describes the inputs and outputs. */
export const coarseOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['parse', (input, context) => parseAnswer(text(input, 'text'), input, context)],
  ['stop', stopOperation],
  ['render', renderOperation],
  ['stream', streamOperation],
  ['loop', loopOperation],
])

/** The reading of every beginning that the chunks make, and of the whole. */
function streamOperation(input: PyDict, context: OperationContext): PyDict {
  const chunks = texts(input, 'chunks')
  const read = (reply: string): PyDict => parseAnswer(reply, input, context)
  const snapshots = chunks.map((_, index) => read(chunks.slice(0, index + 1).join('')))
  return answer({ snapshots, final: snapshots.at(-1) ?? read('') })
}

function parseAnswer(reply: string, input: PyDict, context: OperationContext): PyDict {
  return itemsAnswer(contextFormat(context).parse(reply, parseOptions(input, context)))
}

function parseOptions(input: PyDict, { profile }: OperationContext): ParseOptions {
  return {
    profile,
    parallelCalls: flag(input, 'parallel_calls'),
    toolChoice: toolChoice(input),
    codeMode: flag(input, 'code_mode'),
    thoughtInContent: flag(input, 'thought_in_content'),
    rawArguments: true,
  }
}

function itemsAnswer(outcome: ParseOutcome): PyDict {
  return answer({ items: outcomeItems(outcome) })
}

function outcomeItems(outcome: ParseOutcome): readonly PyDict[] {
  if (outcome.kind === 'rejected') throw new Raise(outcome.error.type, outcome.error.message)
  return outcome.messages.flatMap(itemsOfMessage)
}

function itemsOfMessage({ content, reasoning_content: reasoning, function_call: call }: AssistantMessage): PyDict[] {
  return [
    ...(typeof reasoning === 'string' && reasoning !== '' ? [answer({ type: 'reasoning', text: reasoning })] : []),
    ...(content === '' ? [] : [answer({ type: 'text', text: content })]),
    ...(call ? [answer({ type: 'call', name: call.name, arguments: call.arguments })] : []),
  ]
}

/** Without `stop` these are the words of the format. */
function stopOperation(input: PyDict, context: OperationContext): PyDict {
  const { profile, tokenizer } = context
  const given = optionalList(input, 'stop') === null ? null : texts(input, 'stop')
  const [message] = postprocessStopWords([{ role: 'assistant', content: [{ text: text(input, 'text') }] }], {
    stop: given ?? contextFormat(context).stopWords,
    tokenizer,
    profile,
  })
  return answer({ text: (message?.content ?? []).map((item) => item.text ?? '').join('') })
}

/** The messages of the prompt, and where they are texts only, what they are as one text. */
function renderOperation(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const asked = language(input)
  const request: RenderRequest = {
    messages: list(input, 'messages').map((message) => readMessage(message, profile)),
    tools: dicts(input, 'tools'),
    language: asked === 'auto' ? 'en' : asked,
    parallelCalls: flag(input, 'parallel_calls'),
    toolChoice: toolChoice(input),
    codeMode: flag(input, 'code_mode'),
    profile,
  }
  const messages = promptFor(contextFormat(context), request)
  const isText = messages.every(({ content }) => typeof content === 'string')
  return answer({ messages: promptMessages(messages, context), ...(isText ? { text: chatml(messages, context) } : {}) })
}

/** A prompt that the reference refuses to make is an answer, not a broken case. */
function promptFor(format: QwenAgentFormat, request: RenderRequest): readonly PromptMessage[] {
  try {
    return format.render(request)
  } catch (error) {
    throw error instanceof InputError ? new Raise('InputError', error.message) : error
  }
}

function promptMessages(messages: readonly PromptMessage[], { profile }: OperationContext): PyValue {
  return dumpMessages(messages, profile).map((message) =>
    isDict(message) ? answer({ role: message.get('role') ?? null, content: message.get('content') ?? '' }) : message,
  )
}

/** No system message is made up: what the prompt has is there. */
function chatml(messages: readonly PromptMessage[], { profile }: OperationContext): string {
  return renderChatML(messages, { profile, allowSpecial: true, defaultSystem: '' })
}

/**
 * The format of a case.
 *
 * @throws InputError for one that is not built in
 */
function contextFormat({ format }: OperationContext): QwenAgentFormat {
  if (format !== undefined && Object.hasOwn(formats, format)) return formats[format as FormatName]
  throw new InputError('format', `"${format ?? 'none'}" is not one of ${Object.keys(formats).join(', ')}.`)
}

/**
 * A whole run of an agent against a script: every prompt that it sends, every call that it makes, its last messages, and
 * why it ended. The formats of `fncall_prompt_type` are driven by the function-calling agent, that of ReAct by its own.
 */
export function loopOperation(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const tools = scriptedTools(dicts(input, 'tools'), profile)
  const messages = list(input, 'messages').map((message) => readMessage(message, profile))
  const world = { ask: scriptedModel(input, profile), tools }
  const config = configOf(input, context, tools.tools)
  const record = isFncallName(context.format)
    ? runAgent(fnCallAgent(config), messages, world)
    : runAgent(reactAgent(config), messages, world)
  return runResult(record, context)
}

function configOf(input: PyDict, context: OperationContext, tools: AgentConfig['tools'] & {}): AgentConfig {
  const { profile, tokenizer, format } = context
  if (format === undefined || !Object.hasOwn(formats, format)) {
    throw new InputError('format', `"${format ?? 'none'}" is not one of ${Object.keys(formats).join(', ')}.`)
  }
  const generateCfg = new Map<string, PyValue>(isFncallName(format) ? [['fncall_prompt_type', format]] : [])
  const asked = language(input)
  const maxModelCalls = optionalInteger(input, 'max_model_calls')
  return {
    model: createChatModel({ profile, tokenizer, cfg: new Map([['generate_cfg', generateCfg]]) }),
    tools,
    systemMessage: optionalText(input, 'system_message'),
    language: asked === 'auto' ? null : asked,
    ...(maxModelCalls === null ? {} : { maxModelCalls }),
  }
}

function runResult(record: RunRecord, { profile }: OperationContext): PyDict {
  const last: readonly Message[] = record.last ?? []
  return answer({
    reason: record.reason,
    prompts: record.prompts.map(({ serviceMessages }) => dumpMessages(serviceMessages, profile).map(shownInPrompt)),
    calls: record.toolLog.map(({ tool, args }) => answer({ name: tool, arguments: args })),
    final: dumpMessages(last, profile),
  })
}

function shownInPrompt(message: PyValue): PyValue {
  if (!isDict(message)) return message
  return answer({ role: message.get('role') ?? null, content: message.get('content') ?? '' })
}

/** What `parse`, `stream` and `render` mean for a format, whichever it is. */
export type AnyFormatOperation = (input: PyDict, of: FormatVersion) => PyDict

/** The operations that every format of the registry has; `render` only where it has a prompt. */
export const anyFormatOperations: ReadonlyMap<string, AnyFormatOperation> = new Map<string, AnyFormatOperation>([
  ['parse', (input, of) => replyAnswer(of.format.read(text(input, 'text'), readingOf(input, of)))],
  ['stream', streamOfFormat],
  ['render', promptOfFormat],
])

/** The reading of every beginning that the chunks make, and of the whole. */
function streamOfFormat(input: PyDict, of: FormatVersion): PyDict {
  const reader = of.format.createReader(readingOf(input, of))
  const snapshots = texts(input, 'chunks').map((chunk) => {
    reader.push(chunk)
    return replyAnswer(reader.snapshot())
  })
  reader.end()
  return answer({ snapshots, final: replyAnswer(reader.snapshot()) })
}

interface FormatVersion {
  readonly format: Format
  readonly version: string
}

function readingOf(input: PyDict, { version }: FormatVersion): ReadOptions {
  return { ...readOptions(input), version }
}

function promptOfFormat(input: PyDict, { format, version }: FormatVersion): PyDict {
  if (format.prompt === null) throw new InputError('op', `${format.id} has no prompt of its own.`)
  const tools = input.get('tools')
  const outcome = format.prompt(
    {
      // Instead of messages a family may be given a conversation in a shape of its own.
      messages: input.has('conversation') && !input.has('messages') ? [] : list(input, 'messages').filter(isDict),
      tools: isList(tools) ? tools : tools === undefined ? undefined : null,
      options: new Map([...input].filter(([key]) => key !== 'messages' && key !== 'tools')),
    },
    version,
  )
  if (outcome.kind === 'refused') throw new Raise('Refused', outcome.reason)
  return answer({ text: joinParts(outcome.parts) })
}

/** What a question says about the request. */
export function readOptions(input: PyDict): ReadOptions {
  return {
    tools: (optionalList(input, 'tools') ?? []).filter(isDict) as readonly ToolSpec[],
    toolChoice: toolChoice(input),
    thoughtInContent: flag(input, 'thought_in_content'),
    thinking: asksForThoughts(input),
  }
}

/** Whether the request switched thinking on, for formats whose thoughts are words otherwise. */
function asksForThoughts(input: PyDict): boolean {
  const request = input.get('request')
  return isDict(request) && request.get('thinking') === true
}

function replyAnswer({ items, error }: Reply): PyDict {
  if (error !== null) throw new Raise(error.type, error.message)
  return answer({ items: items.flatMap((item, at) => itemAnswer(item, items[at + 1])) })
}

/** Issues are no part of an answer: what a reader says about a text is its own affair. But that a call is only shown is its `note`. */
function itemAnswer(item: ReplyItem, next: ReplyItem | undefined): readonly PyDict[] {
  switch (item.kind) {
    case 'text':
    case 'reasoning':
      return [answer({ type: item.kind, text: item.text })]
    case 'call': {
      const id: readonly (readonly [string, PyValue])[] = item.id === null ? [] : [['id', item.id]]
      const isShown = next?.kind === 'issue' && (next.code === 'call-in-code' || next.code === 'call-in-quote')
      const note: typeof id = isShown ? [['note', next.code]] : []
      const { name, arguments: given } = item
      return [new Map<string, PyValue>([['type', 'call'], ...id, ['name', name], ['arguments', given], ...note])]
    }
    default:
      return []
  }
}
