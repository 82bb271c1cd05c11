import type { StreamDelta, ToolCallPiece } from '../stream/deltas.ts'
import { unreachable } from '@callspec/python'
import type { ReplyEvent } from './event.ts'

/** Turns the events of a reply into the deltas of an OpenAI-style stream. */
export interface ReplyDeltas {
  /** The deltas of events, in order. */
  readonly next: (events: readonly ReplyEvent[]) => readonly StreamDelta[]
  /** The last events, and the delta with the finish reason. Call it once. */
  readonly end: (events: readonly ReplyEvent[], how?: { readonly isTruncated?: boolean }) => readonly StreamDelta[]
}

/** How deltas are made. */
export interface ReplyDeltaOptions {
  /** The id of a call. Default: that of the reply, else the number of the call, from 1 on. */
  readonly callId?: (index: number, call: { readonly name: string; readonly id: string | null }) => string
}

/**
 * Makes deltas of events, at once: each event is one delta, or none. Nothing is taken back. A call whose end never came was
 * cut off: the finish reason is then `length`, and its pieces are none of the reply.
 */
export function replyDeltas({ callId = defaultId }: ReplyDeltaOptions = {}): ReplyDeltas {
  const sent: Sent = { isFirst: true, calls: 0, isOpen: false, error: null }
  const made = (events: readonly ReplyEvent[]): readonly StreamDelta[] => {
    // Most chunks settle nothing.
    if (events.length === 0) return NO_DELTAS
    const deltas: StreamDelta[] = []
    for (const event of events) {
      const fields = deltaOf(event, sent, callId)
      if (fields !== null) deltas.push(inOrder(sent, { delta: fields, finish_reason: null }))
    }
    return deltas
  }
  return {
    next: made,
    end: (events, { isTruncated = false } = {}) => {
      const deltas = made(events)
      const { error } = sent
      const last: StreamDelta =
        error === null
          ? { delta: {}, finish_reason: reasonOf(sent, isTruncated) }
          : { delta: {}, finish_reason: 'error', error }
      return [...deltas, inOrder(sent, last)]
    },
  }
}

const NO_DELTAS: readonly StreamDelta[] = []

/** What the deltas so far have brought. */
interface Sent {
  isFirst: boolean
  /** Calls that were begun. */
  calls: number
  /** Whether the last of them goes on. */
  isOpen: boolean
  error: Extract<ReplyEvent, { kind: 'rejected' }>['error'] | null
}

function deltaOf(
  event: ReplyEvent,
  sent: Sent,
  callId: NonNullable<ReplyDeltaOptions['callId']>,
): StreamDelta['delta'] | null {
  switch (event.kind) {
    case 'text':
      return { content: event.text }
    case 'reasoning':
      return { reasoning_content: event.text }
    case 'call': {
      const index = sent.calls++
      sent.isOpen = true
      const { name } = event
      return piece({ index, id: callId(index, event), type: 'function', function: { name, arguments: '' } })
    }
    case 'arguments':
      return piece({ index: sent.calls - 1, function: { arguments: event.text } })
    case 'call-end':
      sent.isOpen = false
      return null
    case 'rejected':
      sent.error = event.error
      return null
    case 'issue':
      return null
    default:
      return unreachable(event)
  }
}

function reasonOf({ calls, isOpen }: Sent, isTruncated: boolean): 'stop' | 'length' | 'tool_calls' {
  if (isTruncated || isOpen) return 'length'
  return calls > 0 ? 'tool_calls' : 'stop'
}

function defaultId(index: number, { id }: { readonly id: string | null }): string {
  return id ?? String(index + 1)
}

function piece(call: ToolCallPiece): StreamDelta['delta'] {
  return { tool_calls: [call] }
}

function inOrder(sent: Sent, delta: StreamDelta): StreamDelta {
  if (!sent.isFirst) return delta
  sent.isFirst = false
  return { ...delta, delta: { role: 'assistant', ...delta.delta } }
}
