import { dumpMessages, formats } from '@callspec/core/qwen-agent'
import { InputError } from '@callspec/core'
import { isDict, Raise } from '@callspec/python'
import { postprocessStopWords, readMessage } from '@callspec/core/reference'
import { renderChatML } from '@callspec/qwen-agent/reference'
import type {
  AssistantMessage,
  BuiltInFormat,
  FormatName,
  ParseOptions,
  ParseOutcome,
  PromptMessage,
  RenderRequest,
} from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { loop } from './coarse-loop.ts'
import type { Operation, OperationContext } from './operation.ts'
import { answer, dicts, flag, language, list, optionalList, text, texts } from './read.ts'
import { toolChoice } from './tool-choice.ts'

/** What an outsider implements first; `docs/protocol.md` describes the inputs and outputs. */
export const coarseOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['parse', (input, context) => reading(text(input, 'text'), input, context)],
  ['stop', stop],
  ['render', render],
  ['stream', stream],
  ['loop', loop],
])

/** The reading of every beginning that the chunks make, and of the whole. */
function stream(input: PyDict, context: OperationContext): PyDict {
  const chunks = texts(input, 'chunks')
  const parser = formatOf(context).createStreamParser(parseOptions(input, context))
  const snapshots = chunks.map((chunk) => {
    parser.push(chunk)
    return itemsAnswer(parser.snapshot())
  })
  return answer({ snapshots, final: snapshots.at(-1) ?? itemsAnswer(parser.snapshot()) })
}

function reading(reply: string, input: PyDict, context: OperationContext): PyDict {
  return itemsAnswer(formatOf(context).parse(reply, parseOptions(input, context)))
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
  return answer({ items: itemsOf(outcome) })
}

function itemsOf(outcome: ParseOutcome): readonly PyDict[] {
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
function stop(input: PyDict, context: OperationContext): PyDict {
  const { profile, tokenizer } = context
  const given = optionalList(input, 'stop') === null ? null : texts(input, 'stop')
  const [message] = postprocessStopWords([{ role: 'assistant', content: [{ text: text(input, 'text') }] }], {
    stop: given ?? formatOf(context).stopWords,
    tokenizer,
    profile,
  })
  return answer({ text: (message?.content ?? []).map((item) => item.text ?? '').join('') })
}

/** The messages of the prompt, and where they are texts only, what they are as one text. */
function render(input: PyDict, context: OperationContext): PyDict {
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
  const messages = promptFor(formatOf(context), request)
  const isText = messages.every(({ content }) => typeof content === 'string')
  return answer({ messages: prompt(messages, context), ...(isText ? { text: chatml(messages, context) } : {}) })
}

/** A prompt that the reference refuses to make is an answer, not a broken case. */
function promptFor(format: BuiltInFormat, request: RenderRequest): readonly PromptMessage[] {
  try {
    return format.render(request)
  } catch (error) {
    throw error instanceof InputError ? new Raise('InputError', error.message) : error
  }
}

function prompt(messages: readonly PromptMessage[], { profile }: OperationContext): PyValue {
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
function formatOf({ format }: OperationContext): BuiltInFormat {
  if (format !== undefined && Object.hasOwn(formats, format)) return formats[format as FormatName]
  throw new InputError('format', `"${format ?? 'none'}" is not one of ${Object.keys(formats).join(', ')}.`)
}
