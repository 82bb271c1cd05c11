import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { attempt, loads, fromPlain, isDict } from '@callspec/python'
import { prepareChat } from '@callspec/qwen-agent/reference'
import type { Format, PromptOutcome } from '@callspec/core'
import { callsOf, InputError, joinParts, promptFrame, toolsInSystem } from '@callspec/core'
import type { ChatModel, FinishAction, LoopEvent, LoopReducer, Step, ToolResult } from '@callspec/qwen-agent'
import { unknownToolText } from '@callspec/qwen-agent'
import { NOW } from '../../world/world.ts'
import { readFormat } from './read-format.ts'
import { beginsInThought } from './reader.ts'
import type { ChatMessage } from '../conversation.ts'
import { chatConversation } from '../conversation.ts'
import { uncutModel } from '../qwen-agent-host.ts'
import type { FunctionCall, Message } from '@callspec/core/qwen-agent'
import type { ToolSpec } from '../../trace/task.ts'
import type { Host, HostOptions } from '../eval-format.ts'

/** What a loop over a format needs. */
export interface FormatLoopConfig {
  readonly format: Format
  readonly model: ChatModel
  readonly tools: readonly ToolSpec[]
  readonly maxModelCalls: number
}

/** A run between two steps. Plain data. */
export interface FormatLoopState {
  /** In the OpenAI shape. */
  readonly messages: readonly PyDict[]
  /** How often the model was asked. */
  readonly asked: number
  /** Calls that are still to be made, and their ids. */
  readonly waiting: readonly WaitingCall[]
}

interface WaitingCall {
  readonly call: FunctionCall
  readonly id: string
}

type FormatStep = Step<FormatLoopState>

/**
 * The loop of every format that has a prompt: the prompt is the format's, the reply is read by the format's reader, its
 * calls are made and their results appended, until a reply has no call.
 */
export function formatLoop(config: FormatLoopConfig): LoopReducer<FormatLoopState> {
  return {
    start: (messages) => {
      const given = chatConversation(messages).map((message) => givenMessage(config.format, message))
      return askModel(config, { messages: given, asked: 0, waiting: [] })
    },
    advance: (state, event) => advance(config, state, event),
  }
}

function advance(config: FormatLoopConfig, state: FormatLoopState, event: LoopEvent): FormatStep {
  const [next, ...waiting] = state.waiting
  if (next === undefined) {
    if (event.type === 'completion-failed')
      return finished(state, { reason: 'raised', messages: [], error: event.error })
    if (event.type === 'completion') return onReply(config, state, lastReplyText(event.replies))
  } else if (event.type === 'tool-result' || event.type === 'tool-failed') {
    const messages = [...state.messages, toolMessage(next, toolResultText(event))]
    return goOn(config, { ...state, messages, waiting })
  }
  const waits = next === undefined ? 'a reply' : 'a result'
  throw new InputError('event', `a run that waits for ${waits} does not wait for "${event.type}".`)
}

function onReply(config: FormatLoopConfig, state: FormatLoopState, text: string): FormatStep {
  const { items, error } = readFormat(config.format, text, {
    tools: config.tools,
    isOpened: beginsInThought(config.format, text),
  })
  if (error !== null) return finished(state, { reason: 'raised', messages: [], error })
  const calls = callsOf(items)
  if (calls.length === 0)
    return finished(state, { reason: 'answered', messages: [{ role: 'assistant', content: text }] })
  const waiting = calls.map((call, at) => ({
    call: { name: call.name, arguments: call.arguments },
    id: call.id ?? `call${String(state.messages.length * 100 + at).padStart(5, '0')}`,
  }))
  const said = items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('')
  const thought = items.flatMap((item) => (item.kind === 'reasoning' ? [item.text] : [])).join('')
  const message = dictOf({
    role: 'assistant',
    content: said.trim() === '' ? '' : said,
    ...(thought.trim() === '' ? {} : { reasoning_content: thought }),
  })
  message.set(
    'tool_calls',
    calls.map((call, at) => callRecord(config.format, call, waiting[at]?.id ?? '')),
  )
  return goOn(config, { ...state, messages: [...state.messages, message], waiting })
}

/** Makes the next call. Calls of tools that were not offered are answered here, as in the reference. */
function goOn(config: FormatLoopConfig, state: FormatLoopState): FormatStep {
  const unknownCalls: FunctionCall[] = []
  let { messages, waiting } = state
  for (;;) {
    const [next, ...rest] = waiting
    if (next === undefined || config.tools.some(({ name }) => name === next.call.name)) break
    unknownCalls.push(next.call)
    messages = [...messages, toolMessage(next, unknownToolText(next.call.name))]
    waiting = rest
  }
  const [next] = waiting
  const reached = { ...state, messages, waiting }
  if (next === undefined) return { ...askModel(config, reached), unknownCalls }
  const action = { type: 'call-tool', call: next.call, by: 'agent', files: null } as const
  return { state: reached, emissions: [], unknownCalls, action }
}

function askModel(config: FormatLoopConfig, state: FormatLoopState): FormatStep {
  if (state.asked >= config.maxModelCalls) return finished(state, { reason: 'model-call-limit', messages: [] })
  const prompt = shownPrompt(config, state.messages)
  if (prompt.kind === 'refused') {
    const error = { type: 'Refusal', message: `The format ${config.format.id} cannot show this: ${prompt.reason}.` }
    return finished(state, { reason: 'raised', messages: [], error })
  }
  const serviceMessages: readonly Message[] = [{ role: 'user', content: joinParts(prompt.parts) }]
  const prepared = { ...prepareChat(config.model, { messages: serviceMessages }), serviceMessages }
  return { state: { ...state, asked: state.asked + 1 }, emissions: [], action: { type: 'generate', prepared } }
}

/** What a model wrote has to be shown all the same where a family refuses it: in plainer words, then calls without their prose. */
function shownPrompt(config: FormatLoopConfig, messages: readonly PyDict[]): PromptOutcome {
  const shown = promptOutcome(config, messages)
  if (shown.kind === 'prompted') return shown
  const plain = messages.map(plainMessage)
  const shownPlain = promptOutcome(config, plain)
  return shownPlain.kind === 'prompted' ? shownPlain : promptOutcome(config, plain.map(withoutProse))
}

/** A message of calls alone. */
function withoutProse(message: PyDict): PyDict {
  return message.has('tool_calls') ? new Map(message).set('content', '') : message
}

function promptOutcome({ format, tools }: FormatLoopConfig, messages: readonly PyDict[]): PromptOutcome {
  const shown = tools.map(({ name, description, parameters }) =>
    fromPlain({ type: 'function', function: { name, description, parameters: parameters as PlainValue } }),
  )
  const asked = (options: readonly (readonly [string, PyValue])[]): PromptOutcome =>
    format.prompt?.({
      messages,
      tools: shown,
      options: new Map<string, PyValue>([['add_generation_prompt', true], ...options]),
    }) ?? {
      kind: 'refused',
      reason: 'it has no prompt',
    }
  const prompt = asked([])
  // Families that do without a day are asked without one; for the others it is that of the tools' world.
  return prompt.kind === 'refused' ? asked([['date', NOW.slice(0, 10)]]) : prompt
}

/** With names and ids that every family takes: what a model makes up may be none, and has to be shown all the same. */
function plainMessage(message: PyDict): PyDict {
  const copy = new Map(message)
  const id = message.get('tool_call_id')
  if (typeof id === 'string') copy.set('tool_call_id', plainId(id))
  const calls = message.get('tool_calls')
  if (Array.isArray(calls)) copy.set('tool_calls', (calls as readonly PyValue[]).map(plainCall))
  return copy
}

function plainCall(call: PyValue): PyValue {
  if (!isDict(call)) return call
  const copy = new Map(call)
  const called = call.get('function') ?? null
  const id = call.get('id')
  if (typeof id === 'string') copy.set('id', plainId(id))
  if (!isDict(called)) return copy
  const args = called.get('arguments') ?? null
  const name = String(called.get('name'))
    .replaceAll(/[^\w-]/g, '_')
    .slice(0, 64)
  const shown: PyDict = new Map<string, PyValue>([
    ...called,
    ['name', name === '' ? 'unnamed' : name],
    ['arguments', isDict(args) ? args : new Map<string, PyValue>([['unreadable', args]])],
  ])
  return copy.set('function', shown)
}

/** Nine letters and digits. */
function plainId(id: string): string {
  const plain = id.replaceAll(/[^A-Za-z0-9]/g, '')
  return plain.slice(-9).padStart(9, '0')
}

/** An earlier message as the format takes it: the arguments of its calls are a map or text. */
function givenMessage(format: Format, { calls, ...message }: ChatMessage): PyDict {
  const given = dictOf(message)
  if (calls.length > 0)
    given.set(
      'tool_calls',
      calls.map(({ id, call }) => callRecord(format, call, id)),
    )
  return given
}

function callRecord(format: Format, call: FunctionCall, id: string): PyDict {
  const takesMaps = promptFrame(format)?.argumentsAs !== 'text'
  const read = attempt(() => loads(call.arguments))
  const args = takesMaps && read.kind === 'returned' && isDict(read.value) ? read.value : call.arguments
  const called = new Map<string, PyValue>([
    ['name', call.name],
    ['arguments', args],
  ])
  return new Map<string, PyValue>([
    ['id', id],
    ['type', 'function'],
    ['function', called],
  ])
}

function toolMessage({ call, id }: WaitingCall, content: string): PyDict {
  return dictOf({ role: 'tool', tool_call_id: id, name: call.name, content })
}

function dictOf(members: { readonly [key: string]: PlainValue }): Map<string, PyValue> {
  return new Map(fromPlain(members) as PyDict)
}

function toolResultText(event: Extract<LoopEvent, { type: 'tool-result' | 'tool-failed' }>): string {
  if (event.type === 'tool-failed') return `${event.error.type}: ${event.error.message}`
  const result: ToolResult = event.result
  return typeof result === 'string' ? result : JSON.stringify(result)
}

function finished(state: FormatLoopState, finish: Omit<FinishAction, 'type'>): FormatStep {
  const { messages } = finish
  return {
    state: { ...state, waiting: [] },
    emissions: messages.length === 0 ? [] : [messages],
    action: { type: 'finish', ...finish },
  }
}

function lastReplyText(replies: readonly (readonly Message[])[]): string {
  const messages = replies.at(-1) ?? []
  return messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
}

/** The host of a format that has a prompt. It always sends raw prompts. */
export function genericHost(format: Format): (options: HostOptions) => Host {
  const { end, handOver, words } = format.stops
  return (options) => {
    const model = uncutModel(options, 'main', [])
    const { tools, maxModelCalls, prompt = 'maker' } = options
    const asked = prompt === 'callspec' ? toolsInSystem(format) : format
    return {
      profile: model.profile,
      loop: formatLoop({ format: asked, model, tools, maxModelCalls }) as LoopReducer<unknown>,
      asksRaw: { end, stop: [...handOver, ...words] },
    }
  }
}
