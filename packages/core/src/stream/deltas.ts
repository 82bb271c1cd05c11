import type { ReferenceError } from '@callspec/python'
import type { AssistantMessage, ParseOutcome, Settled, StreamParser } from '../format.ts'
import type { FunctionCall } from '../messages/message.ts'
import { recentText } from './recent-text.ts'
import type { RecentText } from './recent-text.ts'

/** What a reply has more than before, as the first choice of a chunk of an OpenAI-style stream has it. */
export interface StreamDelta {
  readonly delta: DeltaFields
  /** Null in all deltas but the last. */
  readonly finish_reason: StreamFinish | null
  /** What the reference raised; only with the finish reason `error`. */
  readonly error?: ReferenceError
}

/** The pieces that a delta brings; joined, those of all deltas make the reply. */
export interface DeltaFields {
  /** In the first delta. */
  readonly role?: 'assistant'
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly ToolCallPiece[]
}

/** A piece of a call. The first piece of each call has id, type and name; no other has. */
export interface ToolCallPiece {
  /** 0 for the first call of the reply. */
  readonly index: number
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name?: string; readonly arguments: string }
}

/**
 * Why a reply ended: `length` where it was cut off, else `tool_calls` where it has a call, else `stop`; `error` where the
 * reference raises on it.
 */
export type StreamFinish = 'stop' | 'length' | 'tool_calls' | 'error'

/** Turns what a parser has settled into deltas. */
export interface Deltas {
  /** What a chunk, which the parser was given, has made certain. */
  readonly next: (chunk: string, parser: StreamParser) => readonly StreamDelta[]
  /** Everything that was held back, and the finish reason. Call it once. */
  readonly end: (final: ParseOutcome, how?: { readonly isTruncated?: boolean }) => readonly StreamDelta[]
}

/** How deltas are made. */
export interface DeltaOptions {
  /** The id of a call. Default: the `function_id` that the reference gives it, else its number, from 1 on. */
  readonly callId?: (index: number, message: AssistantMessage) => string
  /** Is told how many characters were copied, so that a test can show that the work is linear. */
  readonly onExamined?: (characters: number) => void
}

/**
 * Makes deltas of what a parser has settled of one reply. What stands in the reply as it is comes from the chunks: a snapshot
 * joins its text anew after each of them, and whoever looks into that pays for all of it.
 *
 * A delta never takes anything back, but a snapshot may: the reference withdraws calls when a thought turns out to go
 * further, changes the spelling of arguments when a call is closed, and shows beginnings of markers as text. So a delta
 * has only what is settled; what may still change is held back, at worst to the end. Joined, the deltas are the last
 * snapshot: `content` the texts of its messages, one after the other, and `tool_calls` its calls. A reply on which the
 * reference raises ends with `error`, behind what had been settled before.
 */
export function createDeltas(options: DeltaOptions = {}): Deltas {
  const sent = nothingSent(options)
  return {
    next: (chunk, parser) => {
      sent.recent.push(chunk, parser)
      const settled = parser.settled?.() ?? NOTHING
      // Most chunks settle nothing, or go on a text or arguments.
      if (settled.messages <= sent.messages && settled.characters <= sent.characters) return NO_DELTAS
      const whole = settled.messages > sent.messages ? settledDeltas({ sent, settled, parser }) : NO_DELTAS
      const more = openDeltas(sent, settled) ?? snapshotDeltas({ sent, settled, parser })
      return inOrder(sent, whole.length === 0 ? more : [...whole, ...more])
    },
    end: (final, { isTruncated = false } = {}) => {
      if (final.kind === 'rejected') {
        const last: StreamDelta = { delta: {}, finish_reason: 'error', error: final.error }
        return inOrder(sent, [last])
      }
      const pieces = wholeDeltas(sent, final.messages.slice(sent.messages))
      const reason = isTruncated ? 'length' : sent.calls > 0 ? 'tool_calls' : 'stop'
      return inOrder(sent, [...pieces, { delta: {}, finish_reason: reason }])
    },
  }
}

/** What the deltas so far have brought. */
interface Sent {
  readonly options: DeltaOptions
  readonly recent: RecentText
  isFirst: boolean
  /** Messages that were sent whole. */
  messages: number
  /** How much was sent of the message behind those: of its reasoning, content and arguments, one after the other. */
  characters: number
  /** Calls that were begun. */
  calls: number
  /** Whether the message behind those is a call that was begun. */
  hasName: boolean
}

function nothingSent(options: DeltaOptions): Sent {
  return { options, recent: recentText(), isFirst: true, messages: 0, characters: 0, calls: 0, hasName: false }
}

const NOTHING: Settled = { messages: 0, characters: 0 }
const NO_DELTAS: readonly StreamDelta[] = []

interface Asked {
  readonly sent: Sent
  readonly settled: Settled
  readonly parser: StreamParser
}

/** The messages that have become whole. */
function settledDeltas({ sent, settled, parser }: Asked): readonly StreamDelta[] {
  if (parser.settledMessages !== undefined) return wholeDeltas(sent, parser.settledMessages(sent.messages))
  const snapshot = parser.snapshot()
  return snapshot.kind === 'rejected'
    ? NO_DELTAS
    : wholeDeltas(sent, snapshot.messages.slice(sent.messages, settled.messages))
}

function wholeDeltas(sent: Sent, messages: readonly AssistantMessage[]): readonly StreamDelta[] {
  return messages.flatMap((message) => {
    const pieces = messageDeltas({ sent, message, end: Number.POSITIVE_INFINITY })
    sent.messages++
    sent.characters = 0
    sent.hasName = false
    return pieces
  })
}

/** What has settled of the message that still grows; null where the parser does not say where it stands in the reply. */
function openDeltas(sent: Sent, { open, characters }: Settled): readonly StreamDelta[] | null {
  if (characters <= sent.characters) return NO_DELTAS
  const due = open === undefined ? null : sent.recent.take(open.start + sent.characters, open.start + characters)
  if (open === undefined || due === null) return null
  sent.options.onExamined?.(due.length)
  const end = wholePairs(due, due.length)
  const text = end === due.length ? due : due.slice(0, end)
  if (text === '') return NO_DELTAS
  sent.characters += text.length
  return [open.kind === 'text' ? delta({ content: text }) : argumentsDelta(sent, { name: open.name, arguments: text })]
}

function argumentsDelta(sent: Sent, call: FunctionCall): StreamDelta {
  if (sent.hasName) return callDelta({ index: sent.calls - 1, function: { arguments: call.arguments } })
  const message = { role: 'assistant', content: '', function_call: call } as const
  return nextCallPiece(sent, { message, piece: call.arguments })
}

/** The same, read off a snapshot. */
function snapshotDeltas({ sent, settled, parser }: Asked): readonly StreamDelta[] {
  const snapshot = parser.snapshot()
  const message = snapshot.kind === 'rejected' ? undefined : snapshot.messages[sent.messages]
  return message === undefined ? NO_DELTAS : messageDeltas({ sent, message, end: settled.characters })
}

interface Due {
  readonly sent: Sent
  readonly message: AssistantMessage
  /** How many characters of the message may be sent. */
  readonly end: number
}

function messageDeltas({ sent, message, end }: Due): readonly StreamDelta[] {
  const pieces: StreamDelta[] = []
  const reasoning = typeof message.reasoning_content === 'string' ? message.reasoning_content : ''
  const { content, function_call: call } = message
  sent.options.onExamined?.(reasoning.length + content.length + (call?.arguments.length ?? 0))
  const thought = nextOf(sent, { text: reasoning, at: 0, end })
  if (thought !== '') pieces.push(delta({ reasoning_content: thought }))
  const text = nextOf(sent, { text: content, at: reasoning.length, end })
  if (text !== '') pieces.push(delta({ content: text }))
  const at = reasoning.length + content.length
  if (!call || end <= at) return pieces
  const piece = nextOf(sent, { text: call.arguments, at, end })
  if (!sent.hasName || piece !== '') pieces.push(nextCallPiece(sent, { message, piece }))
  return pieces
}

/** A piece of the arguments of the call that a message holds: the first one with id and name. */
function nextCallPiece(
  sent: Sent,
  { message, piece }: { readonly message: AssistantMessage; readonly piece: string },
): StreamDelta {
  if (sent.hasName) return callDelta({ index: sent.calls - 1, function: { arguments: piece } })
  sent.hasName = true
  const index = sent.calls++
  const id = (sent.options.callId ?? defaultId)(index, message)
  const name = message.function_call?.name ?? ''
  return callDelta({ index, id, type: 'function', function: { name, arguments: piece } })
}

/** The part of a text that is due: behind what was sent, and before the end. `at` is its place in the message. */
function nextOf(
  sent: Sent,
  { text, at, end }: { readonly text: string; readonly at: number; readonly end: number },
): string {
  const from = sent.characters - at
  const to = wholePairs(text, end - at)
  if (from < 0 || to <= from) return ''
  sent.characters = at + to
  return text.slice(from, to)
}

/** Where to stop before `end`: one unit earlier where the text so far ends with half a pair, to which the rest may come. */
function wholePairs(text: string, end: number): number {
  if (end > text.length) return text.length
  return end > 0 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}

function defaultId(index: number, { extra }: AssistantMessage): string {
  const id = extra?.get('function_id')
  return typeof id === 'string' ? id : String(index + 1)
}

function delta(fields: DeltaFields): StreamDelta {
  return { delta: fields, finish_reason: null }
}

function callDelta(piece: ToolCallPiece): StreamDelta {
  return delta({ tool_calls: [piece] })
}

function inOrder(sent: Sent, deltas: readonly StreamDelta[]): readonly StreamDelta[] {
  if (!sent.isFirst || deltas.length === 0) return deltas
  const [first, ...rest] = deltas
  if (first === undefined) return deltas
  sent.isFirst = false
  return [{ ...first, delta: { role: 'assistant', ...first.delta } }, ...rest]
}
