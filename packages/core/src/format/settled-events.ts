import type { AssistantMessage, ParseOutcome, Settled, StreamParser } from '../format.ts'
import type { ReplyEvent } from '../reply/event.ts'
import { recentText } from '../stream/recent-text.ts'
import type { RecentText } from '../stream/recent-text.ts'
import { issueItem } from './issue-item.ts'

/** Turns what a parser has settled into events. */
export interface SettledEvents {
  /** Says what has become certain with a chunk, which the parser was given. */
  readonly next: (chunk: string, parser: StreamParser) => readonly ReplyEvent[]
  /** Everything that was held back. */
  readonly end: (final: ParseOutcome) => readonly ReplyEvent[]
}

/** How much was told: whole messages, and characters of the next one (reasoning, content, arguments in a row). */
interface Told {
  readonly recent: RecentText
  messages: number
  characters: number
  isCallTold: boolean
}

/**
 * Events of what a parser settles, told once. What stands in the reply as it is comes from its chunks, so that a reply of any
 * length costs the same per chunk.
 */
export function settledEvents(): SettledEvents {
  const told: Told = { recent: recentText(), messages: 0, characters: 0, isCallTold: false }
  return {
    next: (chunk, parser) => {
      told.recent.push(chunk, parser)
      const settled = parser.settled?.() ?? NOTHING
      const { messages, characters } = settled
      // Most chunks settle nothing, or go on a text or arguments.
      if (messages <= told.messages)
        return characters <= told.characters ? NO_EVENTS : openEvents(told, settled, parser)
      const events: ReplyEvent[] = []
      addWhole(events, told, settledMessages(told, parser, settled))
      if (characters > told.characters) events.push(...openEvents(told, settled, parser))
      return events
    },
    end: (final) => {
      if (final.kind === 'rejected') return [{ kind: 'rejected', error: final.error }, issueItem(final.issue)]
      const events: ReplyEvent[] = []
      addWhole(events, told, final.messages.slice(told.messages))
      return [...events, ...final.issues.map(issueItem)]
    },
  }
}

const NOTHING: Settled = { messages: 0, characters: 0 }
const NO_EVENTS: readonly ReplyEvent[] = []

function settledMessages(told: Told, parser: StreamParser, { messages }: Settled): readonly AssistantMessage[] {
  if (parser.settledMessages !== undefined) return parser.settledMessages(told.messages)
  const snapshot = parser.snapshot()
  return snapshot.kind === 'rejected' ? [] : snapshot.messages.slice(told.messages, messages)
}

function addWhole(events: ReplyEvent[], told: Told, messages: readonly AssistantMessage[]): void {
  for (const message of messages) {
    addPieces(events, { told, message, end: Infinity })
    if (message.function_call) events.push({ kind: 'call-end' })
    told.messages += 1
    told.characters = 0
    told.isCallTold = false
  }
}

/** What has settled of the message that still grows. */
function openEvents(told: Told, { open, characters }: Settled, parser: StreamParser): readonly ReplyEvent[] {
  const start = open?.start ?? 0
  const due = open === undefined ? null : told.recent.take(start + told.characters, start + characters)
  if (open === undefined || due === null) {
    const events: ReplyEvent[] = []
    const snapshot = parser.snapshot()
    const message = snapshot.kind === 'rejected' ? undefined : snapshot.messages[told.messages]
    if (message !== undefined) addPieces(events, { told, message, end: characters })
    return events
  }
  const text = wholePairs(due)
  if (text === '') return NO_EVENTS
  told.characters += text.length
  if (open.kind === 'text') return [{ kind: 'text', text }]
  if (told.isCallTold) return [{ kind: 'arguments', text }]
  told.isCallTold = true
  return [
    { kind: 'call', name: open.name, id: null },
    { kind: 'arguments', text },
  ]
}

interface Due {
  readonly told: Told
  readonly message: AssistantMessage
  /** How many characters of the message may be told. */
  readonly end: number
}

function addPieces(events: ReplyEvent[], { told, message, end }: Due): void {
  const { content, reasoning_content: given, function_call: call } = message
  const thought = typeof given === 'string' ? given : ''
  const next = (text: string, at: number): string => {
    const [from, to] = [Math.max(0, told.characters - at), Math.min(text.length, end - at)]
    if (to <= from) return ''
    const piece = to === text.length ? text.slice(from) : wholePairs(text.slice(from, to))
    if (piece !== '') told.characters = at + from + piece.length
    return piece
  }
  const reasoning = next(thought, 0)
  if (reasoning !== '') events.push({ kind: 'reasoning', text: reasoning })
  const text = next(content, thought.length)
  if (text !== '') events.push({ kind: 'text', text })
  const at = thought.length + content.length
  if (!call || end <= at) return
  if (!told.isCallTold) events.push({ kind: 'call', name: call.name, id: null })
  told.isCallTold = true
  const piece = next(call.arguments, at)
  if (piece !== '') events.push({ kind: 'arguments', text: piece })
}

/** A text without half a surrogate pair at its end: the rest may come. */
function wholePairs(text: string): string {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(0, -1) : text
}
