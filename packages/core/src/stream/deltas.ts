import type { ReferenceError } from '@callspec/python'
import type { AssistantMessage, ParseOutcome, Settled, StreamParser } from '../format.ts'
import { rawText } from './raw-text.ts'
import type { RawText } from './raw-text.ts'

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
  const sent: Sent = { raw: rawText(), isFirst: true, messages: 0, characters: 0, calls: 0, hasName: false }
  return {
    next: (chunk, parser) => {
      sent.raw.push(chunk)
      const settled = parser.settled?.() ?? NOTHING
      // Most chunks settle nothing, or go on a text or arguments.
      if (settled.messages <= sent.messages && settled.characters <= sent.characters) return NO_DELTAS
      const pieces: StreamDelta[] = []
      if (settled.messages > sent.messages)
        addWhole(pieces, { sent, messages: settledMessages(sent, parser, settled), options })
      if (settled.characters > sent.characters) addOpen(pieces, { sent, settled, parser, options })
      return inOrder(sent, pieces)
    },
    end: (final, { isTruncated = false } = {}) => {
      if (final.kind === 'rejected') {
        const last: StreamDelta = { delta: {}, finish_reason: 'error', error: final.error }
        return inOrder(sent, [last])
      }
      const pieces: StreamDelta[] = []
      addWhole(pieces, { sent, messages: final.messages.slice(sent.messages), options })
      const reason = isTruncated ? 'length' : sent.calls > 0 ? 'tool_calls' : 'stop'
      return inOrder(sent, [...pieces, { delta: {}, finish_reason: reason }])
    },
  }
}

/** What the deltas so far have brought. */
interface Sent {
  readonly raw: RawText
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

const NOTHING: Settled = { messages: 0, characters: 0 }
const NO_DELTAS: readonly StreamDelta[] = []

function settledMessages(sent: Sent, parser: StreamParser, { messages }: Settled): readonly AssistantMessage[] {
  if (parser.settledMessages !== undefined) return parser.settledMessages(sent.messages)
  const snapshot = parser.snapshot()
  return snapshot.kind === 'rejected' ? [] : snapshot.messages.slice(sent.messages, messages)
}

interface Whole {
  readonly sent: Sent
  readonly messages: readonly AssistantMessage[]
  readonly options: DeltaOptions
}

function addWhole(pieces: StreamDelta[], { sent, messages, options }: Whole): void {
  for (const message of messages) {
    addPieces(pieces, { sent, message, end: Number.POSITIVE_INFINITY, options })
    sent.messages++
    sent.characters = 0
    sent.hasName = false
  }
}

interface Open {
  readonly sent: Sent
  readonly settled: Settled
  readonly parser: StreamParser
  readonly options: DeltaOptions
}

/** Adds what has settled of the message that still grows. */
function addOpen(pieces: StreamDelta[], { sent, settled, parser, options }: Open): void {
  const { open, characters } = settled
  if (open === undefined) {
    const snapshot = parser.snapshot()
    const message = snapshot.kind === 'rejected' ? undefined : snapshot.messages[sent.messages]
    if (message !== undefined) addPieces(pieces, { sent, message, end: characters, options })
    return
  }
  const due = sent.raw.slice(open.start + sent.characters, open.start + characters)
  options.onExamined?.(due.length)
  const text = due.slice(0, wholePairs(due, due.length))
  if (text === '') return
  sent.characters += text.length
  if (open.kind === 'text') pieces.push(delta({ content: text }))
  else {
    const call = { name: open.name, arguments: text }
    pieces.push(nextCallPiece({ sent, options }, { role: 'assistant', content: '', function_call: call }, text))
  }
}

interface PieceSource {
  readonly sent: Sent
  readonly message: AssistantMessage
  /** How many characters of the message may be sent. */
  readonly end: number
  readonly options: DeltaOptions
}

function addPieces(pieces: StreamDelta[], { sent, message, end, options }: PieceSource): void {
  const reasoning = typeof message.reasoning_content === 'string' ? message.reasoning_content : ''
  const { content, function_call: call } = message
  options.onExamined?.(reasoning.length + content.length + (call?.arguments.length ?? 0))
  const thought = nextOf(sent, { text: reasoning, at: 0, end })
  if (thought !== '') pieces.push(delta({ reasoning_content: thought }))
  const text = nextOf(sent, { text: content, at: reasoning.length, end })
  if (text !== '') pieces.push(delta({ content: text }))
  const at = reasoning.length + content.length
  if (!call || end <= at) return
  const piece = nextOf(sent, { text: call.arguments, at, end })
  if (!sent.hasName || piece !== '') pieces.push(nextCallPiece({ sent, options }, message, piece))
}

/** A piece of the arguments of the call that a message holds: the first one with id and name. */
function nextCallPiece(
  { sent, options }: { readonly sent: Sent; readonly options: DeltaOptions },
  message: AssistantMessage,
  piece: string,
): StreamDelta {
  if (sent.hasName) return callDelta({ index: sent.calls - 1, function: { arguments: piece } })
  sent.hasName = true
  const index = sent.calls++
  const id = (options.callId ?? defaultId)(index, message)
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
  if (!sent.isFirst) return deltas
  const [first, ...rest] = deltas
  if (first === undefined) return deltas
  sent.isFirst = false
  return [{ ...first, delta: { role: 'assistant', ...first.delta } }, ...rest]
}
