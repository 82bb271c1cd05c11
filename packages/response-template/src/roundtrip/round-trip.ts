import { isDict, isList, loads, Raise } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Rendering } from '@callspec/template'
import type { TemplateReader } from '../template/cast.ts'
import { readReply, streamReply } from '../template/read-reply.ts'
import type { ReadResult, ReadSettings } from '../template/read-reply.ts'
import type { ResponseTemplate } from '../template/response-template.ts'
import type { RoundTripCall, RoundTripCase } from './messages.ts'

/** Renders a conversation with a chat template. */
export type RenderPrompt = (variables: PyDict) => Promise<Rendering>

/** A part of a message that is compared. */
export type MessagePart = 'content' | 'reasoning' | 'calls'

/**
 * What a message became:
 *
 * - `same`: it came back
 * - `differs`: a part is another one, though the chat template wrote it
 * - `chat-template-loses`: the chat template itself does not write what is missing
 * - `raises`: the reader refuses the reply
 * - `chat-template-refuses`: there is no reply
 */
export type RoundTripVerdict = 'same' | 'differs' | 'chat-template-loses' | 'raises' | 'chat-template-refuses'

/** A message after its way through both templates. */
export interface RoundTrip {
  readonly id: string
  readonly verdict: RoundTripVerdict
  /** The prompt and the reply as the chat template writes them; null where it refuses. */
  readonly written: WrittenReply | null
  readonly differs: readonly MessagePart[]
  /** What the reader gave, or null without a reply. */
  readonly result: ReadResult | null
  /** Places where a stream that is cut there gives another message; null where that was not asked. */
  readonly cuts: readonly number[] | null
  /** Why the chat template refuses; null if it does not. */
  readonly refusal: string | null
}

/** A reply as a chat template writes it. */
export interface WrittenReply {
  readonly prompt: string
  /** Ended after the stop token. */
  readonly reply: string
  /** Whether the conversation begins with the prompt that asks for the reply. If not, `prompt` is what both share. */
  readonly isPromptPrefix: boolean
}

/** Both templates of a model. */
export interface TemplatePair {
  readonly render: RenderPrompt
  readonly template: ResponseTemplate
  readonly reader?: TemplateReader | undefined
  /** Also cut every reply in two at every place. */
  readonly isCut?: boolean | undefined
}

/** The end of a turn: the stop token, and the white space that a chat template writes after it. */
export interface TurnEnd {
  readonly stop: string
  readonly space: string
}

/** How a chat template ends a turn; null if it refuses a plain text. */
export async function turnEnd(render: RenderPrompt): Promise<TurnEnd | null> {
  const plain = 'CALLSPEC plain text.'
  const history = [textMessage('user', 'Hi')]
  const whole = await render(variablesOf([...history, textMessage('assistant', plain)], { tools: null, asks: false }))
  if (whole.kind === 'raised') return null
  const at = whole.text.lastIndexOf(plain)
  const end = at < 0 ? '' : whole.text.slice(at + plain.length)
  const stop = end.trimEnd()
  return { stop, space: stop === '' ? '' : end.slice(stop.length) }
}

/** Takes one message through both templates. Never throws because of either. */
export async function roundTrip(one: RoundTripCase, pair: TemplatePair, end: TurnEnd | null): Promise<RoundTrip> {
  const written = await writeReply(one, pair.render, end)
  const none = { id: one.id, differs: [], result: null, cuts: null }
  if (written.kind === 'refused') {
    return { ...none, verdict: 'chat-template-refuses', written: null, refusal: written.reason }
  }
  const { prompt, reply } = written.reply
  const settings: ReadSettings = { prefix: prompt, tools: one.tools, reader: pair.reader }
  const result = readReply(pair.template, reply, settings)
  const base = {
    ...none,
    written: written.reply,
    result,
    refusal: null,
    cuts: pair.isCut === true ? differingCuts(pair.template, reply, { settings, result }) : null,
  }
  if (result.kind === 'raised') return { ...base, verdict: 'raises' }
  const differs = differingParts(one, result.message)
  if (differs.length === 0) return { ...base, verdict: 'same' }
  const isLost = differs.every((part) => !isWritten(one, part, reply))
  return { ...base, differs, verdict: isLost ? 'chat-template-loses' : 'differs' }
}

type Writing =
  { readonly kind: 'written'; readonly reply: WrittenReply } | { readonly kind: 'refused'; readonly reason: string }

async function writeReply(one: RoundTripCase, render: RenderPrompt, end: TurnEnd | null): Promise<Writing> {
  const { tools, history } = one
  const prompt = await render(variablesOf(history, { tools, asks: true }))
  if (prompt.kind === 'raised') return { kind: 'refused', reason: prompt.error.message }
  const whole = await render(variablesOf([...history, one.original ?? messageOf(one)], { tools, asks: false }))
  if (whole.kind === 'raised') return { kind: 'refused', reason: whole.error.message }
  const isPromptPrefix = whole.text.startsWith(prompt.text)
  const shared = isPromptPrefix ? prompt.text.length : sharedLength(prompt.text, whole.text)
  const reply = whole.text.slice(shared)
  const isStopped = end !== null && end.stop !== '' && reply.endsWith(end.stop + end.space)
  return {
    kind: 'written',
    reply: {
      prompt: whole.text.slice(0, shared),
      reply: isStopped ? reply.slice(0, reply.length - end.space.length) : reply,
      isPromptPrefix,
    },
  }
}

function variablesOf(
  messages: readonly PyValue[],
  { tools, asks }: { readonly tools: PyValue; readonly asks: boolean },
): PyDict {
  return new Map<string, PyValue>([
    ['messages', messages],
    ['tools', tools],
    ['add_generation_prompt', asks],
  ])
}

function textMessage(role: string, content: string): PyDict {
  return new Map<string, PyValue>([
    ['role', role],
    ['content', content],
  ])
}

/** The message as chat templates take it. Thoughts have two names, and each template reads one of them. */
function messageOf({ content, reasoning, calls }: RoundTripCase): PyDict {
  const thought: readonly (readonly [string, PyValue])[] =
    reasoning === null
      ? []
      : [
          ['reasoning_content', reasoning],
          ['thinking', reasoning],
        ]
  const made: readonly (readonly [string, PyValue])[] =
    calls.length === 0 ? [] : [['tool_calls', calls.map(callMessage)]]
  return new Map<string, PyValue>([...textMessage('assistant', content), ...thought, ...made])
}

function callMessage(call: RoundTripCall, index: number): PyDict {
  return new Map<string, PyValue>([
    ['id', `call${String(index).padStart(5, '0')}`],
    ['type', 'function'],
    [
      'function',
      new Map<string, PyValue>([
        ['name', call.name],
        ['arguments', call.arguments],
      ]),
    ],
  ])
}

function sharedLength(left: string, right: string): number {
  let length = 0
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length++
  return length
}

function differingParts({ content, reasoning, calls }: RoundTripCase, message: PyDict): readonly MessagePart[] {
  const thought = message.get('reasoning_content') ?? message.get('thinking') ?? message.get('reasoning') ?? ''
  const parts: MessagePart[] = []
  if ((message.get('content') ?? '') !== content) parts.push('content')
  if (thought !== (reasoning ?? '')) parts.push('reasoning')
  if (
    !isEqual(
      callsOf(message.get('tool_calls') ?? null),
      calls.map(({ name, arguments: given }) => [name, given]),
    )
  )
    parts.push('calls')
  return parts
}

/** Names and arguments of calls. */
function callsOf(value: PyValue): PyValue {
  if (value === null) return []
  const list = isList(value) ? value : [value]
  return list.map((call) => {
    const inner = isDict(call) ? (call.get('function') ?? call) : null
    return isDict(inner) ? [inner.get('name') ?? null, argumentsOf(inner.get('arguments') ?? null)] : null
  })
}

/** Arguments as an object, also where they are its text. */
export function argumentsOf(value: PyValue): PyValue {
  if (typeof value !== 'string') return value
  try {
    return loads(value)
  } catch (error) {
    if (error instanceof Raise) return value
    throw error
  }
}

/** Whether two values are equal: 1 is not 1.0, and the order of members does not count. */
export function isEqual(left: PyValue, right: PyValue): boolean {
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index] ?? null))
  }
  if (isDict(left) && isDict(right)) {
    return (
      left.size === right.size &&
      Array.from(left).every(([key, item]) => right.has(key) && isEqual(item, right.get(key) ?? null))
    )
  }
  return Object.is(left, right)
}

/** Whether a chat template wrote a part of the message: its text, or as many names as it has calls. */
function isWritten({ content, reasoning, calls }: RoundTripCase, part: MessagePart, reply: string): boolean {
  switch (part) {
    case 'content':
      return reply.includes(content)
    case 'reasoning':
      return reasoning === null || reply.includes(reasoning)
    case 'calls':
      return calls.every(({ name }) => countOf(reply, name) >= calls.filter((call) => call.name === name).length)
  }
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

function differingCuts(
  template: ResponseTemplate,
  reply: string,
  { settings, result }: { readonly settings: ReadSettings; readonly result: ReadResult },
): readonly number[] {
  const places = Array.from({ length: Math.max(0, reply.length - 1) }, (_, at) => at + 1)
  return places.filter((at) => {
    const stream = streamReply(template, settings)
    stream.feed(reply.slice(0, at))
    stream.feed(reply.slice(at))
    return !isSameResult(stream.end().result, result)
  })
}

/** Whether two readings gave one message, or raised alike. */
export function isSameResult(left: ReadResult, right: ReadResult): boolean {
  if (left.kind === 'read' && right.kind === 'read') return isEqual(left.message, right.message)
  return left.kind === 'raised' && right.kind === 'raised' && left.fault.kind === right.fault.kind
}
